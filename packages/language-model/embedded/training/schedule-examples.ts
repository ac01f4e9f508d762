/** Chooses the examples of each optimizer step: every epoch in a new order, each step as many as fit its tokens. */
import { shuffledOrder } from './random.ts';

/** Makes the orders of successive epochs differ. */
const EPOCH_SEED_STRIDE = 0x9e3779b1;

export interface ExampleLengths {
  readonly count: number;
  length(index: number): number;
}

/** The position in the data where a step starts. */
export interface DataCursor {
  readonly epoch: number;
  /** Index in the epoch's order. */
  readonly offset: number;
}

export const DATA_START: DataCursor = { epoch: 0, offset: 0 };

export interface StepExamples {
  readonly indices: readonly number[];
  /** Where the next step starts. */
  readonly next: DataCursor;
}

/**
 * Yields without end the examples of the steps from a cursor on. A step takes at least one example, and stops before
 * the next would exceed `tokensPerStep`. It may run over the end of an epoch.
 */
export function* exampleSteps(
  examples: ExampleLengths,
  tokensPerStep: number,
  seed: number,
  start: DataCursor,
): Generator<StepExamples, never> {
  let indices: number[] = [];
  let tokens = 0;
  let first = start.offset;
  for (let { epoch } = start; ; epoch += 1) {
    const order = shuffledOrder(examples.count, seed + Math.imul(epoch, EPOCH_SEED_STRIDE));
    for (let offset = first; offset < order.length; offset += 1) {
      const index = order[offset]!;
      const length = examples.length(index);
      if (indices.length > 0 && tokens + length > tokensPerStep) {
        yield { indices, next: { epoch, offset } };
        indices = [];
        tokens = 0;
      }
      indices.push(index);
      tokens += length;
    }
    first = 0;
  }
}
