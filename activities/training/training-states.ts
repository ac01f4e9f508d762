/**
 * States of a training in the store, beside the checkpoint that it will become: another machine resumes from them if
 * this one is lost. Each machine of the training puts its files and their list; the last one puts the manifest. A state
 * without a manifest is ignored. All are in one folder, because a removed object leaves its folder behind:
 *
 *     NAME/state/step-000000120.0a1b2c3d4e5f.node-0+FILE   a file, with + for /
 *     NAME/state/step-000000120.0a1b2c3d4e5f.node-0.json   the list of a machine's files
 *     NAME/state/step-000000120.0a1b2c3d4e5f.whole.json    the manifest
 *
 * The hexadecimal part is the attempt's: an attempt that repeats the same steps may give other bytes.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { mapConcurrently, StpError } from '@stp/base';
import { type ArtifactRef, artifactRefSchema, type ObjectInfo, type ObjectStore } from '@stp/config/records';
import type { KeptState } from '@stp/language-model';
import { z } from 'zod';
import { readJson } from '../records/record-files.ts';
import { fetchFiles, TRANSFERS_MAX } from './checkpoints.ts';

/** Number of complete states that are kept: the newest, and the previous one in case the newest is damaged. */
const STATES_KEPT = 2;
const STEP_DIGITS = 9;
const ID_BYTES = 6;
const NODES_MAX = 10_000;
/** Generation of every object in a folder (`infra/stores/file-objects.ts`). */
const FILE_GENERATION = '1';
const OBJECT = /^(step-\d{9,12}\.[0-9a-f]{12})\.(.+)$/;
const WHOLE = 'whole.json';

const listSchema = z.strictObject({
  files: z.record(z.string().regex(/^(?:\w[\w.-]*\/)?\w[\w.-]*$/), artifactRefSchema),
});
const manifestSchema = z.strictObject({
  /** The machines' lists in order. */
  nodes: z.array(artifactRefSchema).min(1).max(NODES_MAX),
});

/** A machine's part of a state: its number, and the number of machines. */
export interface StatePart {
  readonly node: number;
  readonly nodes: number;
}

/** Makes a name that tells the copies of one attempt from those of every other. */
export const newStateId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Returns the number of optimizer steps in a state, from the state's name. */
export const stepOf = (stem: string): number => Number(/^step-(\d+)/.exec(stem)?.[1] ?? 0);

export class TrainingStates {
  readonly #store: ObjectStore;
  readonly #prefix: string;

  /** @param name of the training in the store, `checkpoints/round-1-0a1b2c3d` */
  constructor(store: ObjectStore, name: string) {
    this.#store = store;
    this.#prefix = `${name}/state/`;
  }

  /**
   * Copies this machine's part. The last machine to do so completes the state and removes older ones. Throws the
   * store's errors, and ENOENT if the trainer replaced the files before they could be linked; the next state may
   * succeed.
   */
  async copy(kept: KeptState, directory: string, part: StatePart & { id: string }, signal: AbortSignal): Promise<void> {
    const stem = `step-${String(kept.step).padStart(STEP_DIGITS, '0')}.${part.id}`;
    const held = `${directory}.copying`;
    try {
      await rm(held, { recursive: true, force: true });
      await mkdir(held, { recursive: true });
      // Links each file under a further name, since the trainer may remove its own during the copy.
      for (const file of kept.files) await link(join(directory, file), join(held, flat(file)));
      const refs = await mapConcurrently(kept.files, TRANSFERS_MAX, signal, (file, laneSignal) => {
        const name = `${this.#prefix}${stem}.node-${part.node}+${flat(file)}`;
        return this.#store.putFile(name, join(held, flat(file)), { signal: laneSignal });
      });
      const files = Object.fromEntries(kept.files.map((file, index) => [file, refs[index]!]));
      await this.#put(`${stem}.node-${part.node}.json`, { files });
      await this.#makeWhole(stem, part.nodes);
    } finally {
      await rm(held, { recursive: true, force: true });
    }
  }

  /** Returns the name of the newest complete state, from any number of machines, or null. */
  async newest(): Promise<string | null> {
    for (const stem of await this.#whole()) if ((await this.#lists(stem)) !== null) return stem;
    return null;
  }

  /** Fetches the newest complete, undamaged state. Returns its name in the store, or null if there is none. */
  async fetchNewest(directory: string, signal: AbortSignal): Promise<string | null> {
    for (const stem of await this.#whole()) if (await this.fetch(stem, directory, signal)) return stem;
    return null;
  }

  /**
   * Fetches a state into a folder that must not exist yet: the files of all its machines, because other machines divide
   * the weights differently. Returns false if the state is damaged.
   */
  async fetch(stem: string, directory: string, signal: AbortSignal): Promise<boolean> {
    const lists = await this.#lists(stem);
    if (lists === null) return false;
    const gathered = `${directory}.${stem}`;
    await removeGathered(directory, stem);
    try {
      const parts = await Promise.all(lists.map((list) => readJson(this.#store, list, listSchema)));
      const files = Object.assign({}, ...parts.map((part) => part.files));
      await fetchFiles(this.#store, files, gathered, signal);
      await rename(gathered, directory);
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      await rm(`${gathered}.partial`, { recursive: true, force: true });
      return false;
    }
  }

  /** Marks a state as incomplete. Its files are removed with those of older states. */
  async discard(stem: string): Promise<void> {
    const manifest = await this.#store.stat(`${this.#prefix}${stem}.${WHOLE}`);
    if (manifest !== null) await this.#store.remove(manifest);
  }

  /** Removes all states; call it when the training is done. */
  async drop(): Promise<void> {
    for await (const object of this.#objects()) await this.#remove(object);
  }

  async #makeWhole(stem: string, nodes: number): Promise<void> {
    const lists: ArtifactRef[] = [];
    for (let node = 0; node < nodes; node += 1) {
      const list = await this.#store.stat(`${this.#prefix}${stem}.node-${node}.json`);
      if (list === null) return;
      lists.push(list);
    }
    // Two machines may reach this point at the same time, with the same lists.
    await this.#put(`${stem}.${WHOLE}`, { nodes: lists });
    await this.#dropOlder(stem);
  }

  /**
   * Removes states older than the kept ones, and unfinished copies of earlier states. Machines copy one state at a
   * time, so once a state is complete no machine is still copying an older one.
   */
  async #dropOlder(newest: string): Promise<void> {
    const whole = (await this.#whole()).filter((stem) => stem <= newest);
    const kept = new Set(whole.slice(0, STATES_KEPT));
    // A state must stop counting as complete before it loses its files.
    for (const stem of whole.slice(STATES_KEPT)) await this.discard(stem);
    for await (const object of this.#objects()) {
      const stem = stemOf(object.name.slice(this.#prefix.length));
      if (stem !== null && stem <= newest && !kept.has(stem)) await this.#remove(object);
    }
  }

  /** Yields all objects. A folder's listing stops at a file whose size is wrong; that file is useless and removed. */
  async *#objects(): AsyncGenerator<ObjectInfo> {
    for (;;) {
      try {
        yield* this.#store.list(this.#prefix);
        return;
      } catch (error) {
        const uri = isDamage(error) && error instanceof StpError ? String(error.facts.uri) : '';
        if (!uri.startsWith(`${this.#store.root}/${this.#prefix}`)) throw error;
        if (!(await this.#store.remove({ uri, generation: FILE_GENERATION }))) throw error;
      }
    }
  }

  /** Returns the names of the complete states, newest first. */
  async #whole(): Promise<string[]> {
    const stems = new Set<string>();
    for await (const { name } of this.#objects()) {
      const [, stem, rest] = OBJECT.exec(name.slice(this.#prefix.length)) ?? [];
      if (stem !== undefined && rest === WHOLE) stems.add(stem);
    }
    return [...stems].sort().reverse();
  }

  /** Returns the lists of a complete state, or null if it is gone or damaged. */
  async #lists(stem: string): Promise<readonly ArtifactRef[] | null> {
    try {
      const manifest = await this.#store.stat(`${this.#prefix}${stem}.${WHOLE}`);
      return manifest === null ? null : (await readJson(this.#store, manifest, manifestSchema)).nodes;
    } catch (error) {
      if (isDamage(error)) return null;
      throw error;
    }
  }

  #put(name: string, value: unknown): Promise<ArtifactRef> {
    return this.#store.put(`${this.#prefix}${name}`, `${JSON.stringify(value, null, 2)}\n`);
  }

  #remove({ name, generation }: ObjectInfo): Promise<boolean> {
    return this.#store.remove({ uri: `${this.#store.root}/${name}`, generation });
  }
}

/** Removes copies of other states that killed attempts have left beside the folder. */
async function removeGathered(directory: string, wanted: string): Promise<void> {
  const prefix = `${basename(directory)}.`;
  for (const name of await readdir(dirname(directory)).catch(() => [])) {
    const stem = name.startsWith(prefix) ? name.slice(prefix.length).replace(/\.partial$/, '') : '';
    if (/^step-/.test(stem) && stem !== wanted)
      await rm(join(dirname(directory), name), { recursive: true, force: true });
  }
}

const flat = (file: string): string => file.replaceAll('/', '+');

const stemOf = (name: string): string | null => OBJECT.exec(name)?.[1] ?? null;

/** Does the error mean a missing or changed object? A state with such an object is ignored. */
const isDamage = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof StpError && ['STP1402', 'STP1403'].includes(error.code));
