/**
 * Weights conjectures by distribution matching (docs/algorithm.md, section 7). Computes cosines of blocks of unproved
 * statements with all conjectures, and runs the greedy algorithm of `packages/selfplay/transport.ts` over them in the
 * targets' order. The cosines come from a 32-bit matrix product. If its rounding could decide a choice, they are
 * computed again in 64 bits, in a fixed order.
 */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { learnedConjecturer, type RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import { openInnerProducts, productTolerance } from '@stp/language-model';
import { innerProduct, norm, Transport } from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { RunScratch, RunStore } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { openVectorSet, type VectorSet } from '../records/vector-set.ts';
import { type ChosenRecord, chosenConjectureSchema, transportTargetSchema } from '../round/chosen-conjectures.ts';

/** Memory for similarities, and for each of the two blocks of vectors from which they are computed. */
const SIMILARITY_BYTES = 128 * 1024 * 1024;
const BLOCK_BYTES = 64 * 1024 * 1024;
const FLOAT_BYTES = 4;
/** Targets processed before the event loop gets control. */
const ROWS_AT_ONCE = 64;

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

export function matchConjecturesActivity(ports: RunStore & RunScratch) {
  return {
    /**
     * Returns the chosen conjectures with their weights multiplied. Conjectures without a near statement are left out.
     */
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
  const { transport: matching } = learnedConjecturer(input.config.conjectures);
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
    const transport = new Transport(conjectures.count, counts, matching!);
    let done = 0;
    for await (const found of similarityRows(targets, conjectures, signal)) {
      await undecidedMadeExact(transport, found, counts[done]!, conjectures);
      transport.receive(found.similarities, counts[done]!);
      report({ matched: ++done, of: counts.length });
    }
    return transport.weights();
  } finally {
    await conjectures.close();
    await targets.close();
  }
}

export interface SimilarityRow {
  /** The target's vector. */
  readonly vector: Float32Array;
  /** Similarities with every conjecture. */
  readonly similarities: Float32Array;
  /** Bound on the error of each similarity. */
  readonly tolerance: number;
}

/** Yields a row for each target. Its arrays are valid until the next row. */
export async function* similarityRows(
  targets: VectorSet,
  conjectures: VectorSet,
  signal: AbortSignal,
  limits = { similarityBytes: SIMILARITY_BYTES, blockBytes: BLOCK_BYTES },
): AsyncGenerator<SimilarityRow> {
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
  const vectorAt = (vectors: Float32Array, index: number): Float32Array =>
    vectors.subarray(index * length, (index + 1) * length);
  const products = await openInnerProducts(length);
  try {
    let columnsHeld = -1;
    let normMax = 0;
    for (let rowAt = 0; rowAt < targets.count; rowAt += rowsMax) {
      const rowCount = Math.min(rowsMax, targets.count - rowAt);
      await targets.read(rowAt, rowCount, rows);
      for (let columnAt = 0; columnAt < conjectures.count; columnAt += columnsMax) {
        const columnCount = Math.min(columnsMax, conjectures.count - columnAt);
        // If all conjectures fit into one block, they are read once.
        if (columnAt !== columnsHeld) await conjectures.read(columnAt, columnCount, columns);
        columnsHeld = columnAt;
        if (rowAt === 0)
          for (let column = 0; column < columnCount; column++)
            normMax = Math.max(normMax, norm(vectorAt(columns, column)));
        const block = await products.compute(rows, rowCount, columns, columnCount);
        for (let row = 0; row < rowCount; row++)
          similarities.set(
            block.subarray(row * columnCount, (row + 1) * columnCount),
            row * conjectures.count + columnAt,
          );
        signal.throwIfAborted();
      }
      for (let row = 0; row < rowCount; row++) {
        // Choosing among all conjectures takes time too, and heartbeats must be sent in between.
        if (row % ROWS_AT_ONCE === 0) await setImmediate();
        signal.throwIfAborted();
        const vector = vectorAt(rows, row);
        yield {
          vector,
          similarities: similarities.subarray(row * conjectures.count, (row + 1) * conjectures.count),
          tolerance: productTolerance(length, norm(vector), normMax),
        };
      }
    }
  } finally {
    await products.close();
  }
}

/** Replaces undecided similarities by exact ones; returns their number. */
export async function undecidedMadeExact(
  transport: Transport,
  { vector, similarities, tolerance }: SimilarityRow,
  count: number,
  conjectures: VectorSet,
): Promise<number> {
  const undecided = transport.undecided(similarities, count, tolerance);
  if (undecided.length === 0) return 0;
  const other = new Float32Array(conjectures.length);
  for (const index of undecided) {
    await conjectures.read(index, 1, other);
    similarities[index] = innerProduct(vector, other);
  }
  return undecided.length;
}

function unmatched(problem: string): StpError {
  return new StpError('STP1402', `${problem}: the vectors are not those of the statements`, 'Retry the round.');
}
