/** Which examples each optimizer step trains on: every epoch in a fresh order, each step as many as fit its tokens. */
import { shuffledOrder } from './random.ts';

/** Keeps the orders of successive epochs apart. */
const EPOCH_SEED_STRIDE = 0x9e3779b1;

export interface ExampleLengths {
  readonly count: number;
  length(index: number): number;
}

/**
 * Endless: the indices of the examples of step 1, 2, …. A step takes examples until the next would exceed
 * `tokensPerStep`, at least one; it may run over the end of an epoch.
 */
export function* exampleSteps(examples: ExampleLengths, tokensPerStep: number, seed: number): Generator<number[]> {
  let step: number[] = [];
  let tokens = 0;
  for (let epoch = 0; ; epoch += 1) {
    for (const index of shuffledOrder(examples.count, seed + Math.imul(epoch, EPOCH_SEED_STRIDE))) {
      const length = examples.length(index);
      if (step.length > 0 && tokens + length > tokensPerStep) {
        yield step;
        step = [];
        tokens = 0;
      }
      step.push(index);
      tokens += length;
    }
  }
}
