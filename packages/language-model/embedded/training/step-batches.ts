/**
 * Batches of a training step: its records' sequences, weighted by the objective's derivatives and packed for the
 * graph.
 */
import type { Evaluated, Objective, StepItem } from '../objectives/objective.ts';
import type { KeptLogprobs } from './kept-logprobs.ts';
import { packRows } from './pack-rows.ts';
import { type PackedBatch, packedBatch } from './packed-batch.ts';
import type { TrainingSet } from './training-set.ts';

/** The parts of a training that its steps use. */
export interface Task {
  readonly objective: Objective;
  readonly set: TrainingSet;
  readonly contextLength: number;
  /** Constant log-probabilities, if the objective needs them. */
  readonly first: KeptLogprobs | null;
  readonly reference: KeptLogprobs | null;
}

export interface StepBatches {
  readonly batches: readonly PackedBatch[];
  readonly evaluated: Evaluated;
}

const NONE = new Float32Array(0);

/**
 * Makes the batches of the records `indices`. `currentOf` returns log-probabilities of sequences' targets under the
 * weights at the start of the step.
 */
export async function stepBatches(
  { objective, set, contextLength, first, reference }: Task,
  indices: readonly number[],
  variables: Float32Array,
  currentOf: (sequences: readonly number[]) => Promise<readonly Float32Array[]>,
): Promise<StepBatches> {
  const sequences = indices.map((index) => {
    const [from, end] = set.sequencesOf(index);
    return Array.from({ length: end - from }, (_, at) => from + at);
  });
  const all = sequences.flat();
  const current = objective.needs.current ? await currentOf(all) : null;
  let next = 0;
  const items = indices.map((index, item): StepItem<unknown> => {
    const own = sequences[item]!.map((at) => ({
      current: current?.[next++] ?? NONE,
      first: first?.get(at) ?? NONE,
      reference: reference?.get(at) ?? NONE,
      length: set.targetLength(at),
    }));
    return { numbers: set.allNumbers[index], sequences: own };
  });
  const evaluated = objective.evaluate(items, variables);
  const weighted = sequences.flatMap((own, item) =>
    own.map((at, index) =>
      set.sequence(
        at,
        Float64Array.from(evaluated.slopes[item]![index]!, (slope) => -slope),
      ),
    ),
  );
  const batches = packRows(weighted, contextLength).map(({ rows, rowLength }) => packedBatch(rows, rowLength));
  return { batches, evaluated };
}
