/**
 * Weights of conjectures by distribution matching (STP §2.8): cosines of blocks of unproved statements with all
 * conjectures, never of all with all, and the greedy of `selfplay/transport.ts` over them in the targets' order.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { StpError } from '../data/errors.ts';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import { innerProducts, type Vectors } from '../selfplay/similarity.ts';
import { Transport } from '../selfplay/transport.ts';
import { type ChosenRecord, chosenConjectureSchema, transportTargetSchema } from './choose-conjectures.ts';
import { withHeartbeat } from './edge.ts';
import type { Ports } from './ports.ts';
import { once, readRecords, writeRecords } from './record-files.ts';
import { openVectorSet, type VectorSet } from './vector-set.ts';

/** Memory for similarities, and for each of the two blocks of vectors they are computed from. */
const SIMILARITY_BYTES = 128 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024 * 1024;
const FLOAT_BYTES = 4;
/** Products between two looks at the event loop, a fraction of a second: heartbeats must come through. */
const PRODUCTS_AT_ONCE = 2e8;

export interface MatchConjecturesInput {
  readonly run: string;
  readonly name: string;
  readonly config: Pick<RunConfig, 'conjectures'>;
  /** Conjectures that train, and their vectors in the same order. */
  readonly chosen: ArtifactRef;
  readonly chosenVectors: readonly ArtifactRef[];
  /** Unproved statements in the order in which they are matched. */
  readonly targets: ArtifactRef;
  readonly targetVectors: readonly ArtifactRef[];
}

export function matchConjecturesActivities(ports: Ports) {
  return {
    /** The chosen conjectures with their weights multiplied; those that no statement is near to are left out. */
    async matchConjectures(input: MatchConjecturesInput): Promise<ArtifactRef> {
      const { run } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/matched.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const directory = join(await ports.scratch(run), `vectors-${randomUUID()}`);
          try {
            const weights = await transportWeights(store, input, directory, signal, report);
            return await writeRecords(
              store,
              `${input.name}/matched-*.jsonl`,
              weighted(readRecords(store, input.chosen, chosenConjectureSchema), weights),
              signal,
            );
          } finally {
            await rm(directory, { recursive: true, force: true });
          }
        }),
      );
    },
  };
}

async function* weighted(chosen: AsyncIterable<ChosenRecord>, weights: Float64Array): AsyncGenerator<ChosenRecord> {
  let index = 0;
  for await (const conjecture of chosen) {
    const weight = weights[index++]!;
    if (weight > 0) yield { ...conjecture, weight: conjecture.weight * weight };
  }
}

async function transportWeights(
  store: ObjectStore,
  input: MatchConjecturesInput,
  directory: string,
  signal: AbortSignal,
  report: (progress: unknown) => void,
): Promise<Float64Array> {
  const counts: number[] = [];
  for await (const { count } of readRecords(store, input.targets, transportTargetSchema)) counts.push(count);
  const conjectures = await openVectorSet(store, input.chosenVectors, directory);
  const targets = await openVectorSet(store, input.targetVectors, directory);
  try {
    if (conjectures.count !== input.chosen.count || targets.count !== counts.length)
      throw unmatched(
        `${conjectures.count} and ${targets.count} vectors for ${input.chosen.count} and ${counts.length}`,
      );
    if (conjectures.length !== targets.length)
      throw unmatched(`${conjectures.length} dimensions of conjectures, ${targets.length} of statements for both`);
    const transport = new Transport(conjectures.count, counts, input.config.conjectures.transport);
    let done = 0;
    for await (const similarities of similarityRows(targets, conjectures, signal)) {
      transport.receive(similarities, counts[done]!);
      report({ matched: ++done, of: counts.length });
    }
    return transport.weights();
  } finally {
    await conjectures.close();
    await targets.close();
  }
}

/** The similarities of every target with all conjectures, target by target; an array is valid until the next one comes. */
export async function* similarityRows(
  targets: VectorSet,
  conjectures: VectorSet,
  signal: AbortSignal,
  limits = { similarityBytes: SIMILARITY_BYTES, blockBytes: BLOCK_BYTES },
): AsyncGenerator<Float32Array> {
  const { length } = targets;
  const fitting = (bytes: number, each: number): number => Math.max(1, Math.floor(bytes / (each * FLOAT_BYTES)));
  const rowsMax = Math.min(
    targets.count,
    fitting(limits.similarityBytes, conjectures.count),
    fitting(limits.blockBytes, length),
  );
  const columnsMax = Math.min(conjectures.count, fitting(limits.blockBytes, length));
  const rows = new Float32Array(rowsMax * length);
  const columns = new Float32Array(columnsMax * length);
  const similarities = new Float32Array(rowsMax * conjectures.count);
  let columnsHeld = -1;
  for (let rowAt = 0; rowAt < targets.count; rowAt += rowsMax) {
    const rowCount = Math.min(rowsMax, targets.count - rowAt);
    await targets.read(rowAt, rowCount, rows);
    for (let columnAt = 0; columnAt < conjectures.count; columnAt += columnsMax) {
      const columnCount = Math.min(columnsMax, conjectures.count - columnAt);
      // Where all fit they are read once.
      if (columnAt !== columnsHeld) await conjectures.read(columnAt, columnCount, columns);
      columnsHeld = columnAt;
      const block: Vectors = { values: columns, count: columnCount };
      const out = { values: similarities, stride: conjectures.count, columnAt };
      const slice = Math.max(1, Math.floor(PRODUCTS_AT_ONCE / (columnCount * length)));
      for (let from = 0; from < rowCount; from += slice) {
        const to = Math.min(from + slice, rowCount);
        innerProducts({ values: rows, count: rowCount }, from, to, block, length, out);
        await setImmediate();
        signal.throwIfAborted();
      }
    }
    for (let row = 0; row < rowCount; row++)
      yield similarities.subarray(row * conjectures.count, (row + 1) * conjectures.count);
  }
}

function unmatched(problem: string): StpError {
  return new StpError('STP1402', `${problem}: the vectors are not those of the statements`, 'Retry the round.');
}
