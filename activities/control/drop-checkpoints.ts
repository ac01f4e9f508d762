/**
 * Drops checkpoints that a run no longer needs (`retention` of its configuration). Weights and tokenizers are removed;
 * the list of files and the record of the training stay. Never dropped are checkpoints in use, the SFT model, and
 * checkpoints of no known round. The training states of a round are dropped with it, whether the round finished or was
 * skipped.
 */

import { posix } from 'node:path';
import type { RunConfig } from '@stp/config';
import type { CheckpointRef, ObjectInfo, ObjectStore } from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';

export interface DropCheckpointsInput {
  readonly run: string;
  readonly retention: RunConfig['retention'];
  /** The round that has just ended. */
  readonly round: number;
  /** Checkpoints that the run still uses, of any age. */
  readonly inUse: readonly CheckpointRef[];
}

export const droppedSchema = z.strictObject({
  /** Folders in the store, such as `checkpoints/round-3-0a1b2c3d`. */
  checkpoints: z.array(z.string()),
  bytes: z.number().int().nonnegative(),
});
export type Dropped = z.infer<typeof droppedSchema>;

const FOLDER = /^checkpoints\/(?:round|retrain)-(\d+)-[^/]+$/;
/** Where the states of a training lie beside its checkpoint (`training-states.ts`). */
const STATES = 'state';
/** Files of a dropped checkpoint that stay. */
const RECORDS: ReadonlySet<string> = new Set(['files.json', 'trained.json']);

export function dropCheckpointsActivity(ports: RunStore) {
  return {
    async dropCheckpoints(input: DropCheckpointsInput): Promise<Dropped> {
      const store = await ports.store(input.run);
      return withHeartbeat(async (signal, report) => {
        const dropped: Dropped = { checkpoints: [], bytes: 0 };
        for await (const { folder, objects } of checkpointFolders(store)) {
          const isState = ({ name }: ObjectInfo): boolean => name.startsWith(`${folder}/${STATES}/`);
          const states = roundOf(folder) <= input.round ? objects.filter(isState) : [];
          const weights = isKept(store, folder, input)
            ? []
            : objects.filter((object) => !isState(object) && !RECORDS.has(posix.basename(object.name)));
          if (weights.length === 0 && states.length === 0) continue;
          for (const { name, generation, bytes } of [...states, ...weights]) {
            signal.throwIfAborted();
            if (await store.remove({ uri: `${store.root}/${name}`, generation })) dropped.bytes += bytes;
          }
          if (weights.length > 0) dropped.checkpoints.push(folder);
          report(dropped);
        }
        return dropped;
      });
    },
  };
}

function isKept(store: ObjectStore, folder: string, { retention, round, inUse }: DropCheckpointsInput): boolean {
  const { lastRounds, everyRounds } = retention;
  const made = roundOf(folder);
  if (lastRounds === null || Number.isNaN(made)) return true;
  if (inUse.some(({ manifest }) => manifest.uri.startsWith(`${store.root}/${folder}/`))) return true;
  return made > round - lastRounds || (everyRounds !== null && made % everyRounds === 0);
}

/** Returns the round of a checkpoint's folder; NaN if it belongs to no round. */
const roundOf = (folder: string): number => Number(FOLDER.exec(folder)?.[1] ?? Number.NaN);

/**
 * Yields one checkpoint folder at a time with all objects below it. The store lists objects in the order of their
 * names.
 */
async function* checkpointFolders(
  store: ObjectStore,
): AsyncGenerator<{ readonly folder: string; readonly objects: readonly ObjectInfo[] }> {
  let folder = '';
  const objects: ObjectInfo[] = [];
  for await (const object of store.list('checkpoints/')) {
    const parent = object.name.split('/').slice(0, 2).join('/');
    if (parent !== folder && objects.length > 0) yield { folder, objects: objects.splice(0) };
    folder = parent;
    objects.push(object);
  }
  if (objects.length > 0) yield { folder, objects };
}
