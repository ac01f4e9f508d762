/** Sets of training examples as a whole: which examples are equal, and how many steps a set is worth. */
import type { Example } from '@stp/config/records';
import { orderKey } from './random.ts';

/** Equal for examples with the same prompt and target and, with the stream's names, a random order of the others. */
export function exampleKey(example: Example, ...stream: readonly (string | number)[]): string {
  return orderKey(...stream, example.prompt, example.target);
}

/** Examples without repeats of (prompt, target); the first one stays. */
export function dedupeExamples(examples: Iterable<Example>): Example[] {
  const seen = new Map<string, Example>();
  for (const example of examples) {
    const key = `${example.prompt}\u0000${example.target}`;
    if (!seen.has(key)) seen.set(key, example);
  }
  return [...seen.values()];
}

/** Optimizer steps for a number of examples (docs/algorithm.md, section 8), capped. */
export function optimiserSteps(
  examples: number,
  config: { epochs: number; examplesPerStep: number; stepsMin: number; stepsMax: number },
): number {
  const steps = Math.floor((examples * config.epochs) / config.examplesPerStep);
  return Math.min(config.stepsMax, Math.max(config.stepsMin, steps));
}
