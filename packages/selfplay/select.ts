/** Operations on whole sets of training examples: equality of examples, and the number of training steps. */
import type { Example } from '@stp/config/records';
import { orderKey } from './random.ts';

/**
 * Returns a key that is equal for examples with the same prompt and target. With the stream's names it orders other
 * examples at random.
 */
export function exampleKey(example: Example, ...stream: readonly (string | number)[]): string {
  return orderKey(...stream, example.prompt, example.target);
}

/** Returns examples without repeats of (prompt, target); the first one is kept. */
export function dedupeExamples(examples: Iterable<Example>): Example[] {
  const seen = new Map<string, Example>();
  for (const example of examples) {
    const key = `${example.prompt}\u0000${example.target}`;
    if (!seen.has(key)) seen.set(key, example);
  }
  return [...seen.values()];
}

/** Returns the number of optimizer steps for a number of examples (docs/algorithm.md, section 8), capped. */
export function optimiserSteps(
  examples: number,
  config: { epochs: number; examplesPerStep: number; stepsMin: number; stepsMax: number },
): number {
  const steps = Math.floor((examples * config.epochs) / config.examplesPerStep);
  return Math.min(config.stepsMax, Math.max(config.stepsMin, steps));
}
