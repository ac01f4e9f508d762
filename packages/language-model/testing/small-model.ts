/** Small models and examples for tests. */
import type { TokenisedExample } from '../embedded/training/packed-batch.ts';
import { uniformGenerator } from '../embedded/training/random.ts';
import type { ModelShape } from '../trainer.ts';

/** Two query heads to each key-value head. */
export const TINY_SHAPE: ModelShape = {
  hiddenSize: 8,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  feedForwardSize: 12,
  vocabularySize: 13,
  contextLength: 16,
};

/** A model that trains in seconds, with a vocabulary that a tokenizer can have. */
export const SMALL_SHAPE: ModelShape = {
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  feedForwardSize: 64,
  vocabularySize: 300,
  contextLength: 64,
};

/** An example whose target tokens have one weight. */
export interface WeightedExample extends Pick<TokenisedExample, 'tokens' | 'promptLength'> {
  readonly weight: number;
}

/** The examples as a step of likelihood has them: the weights of all target tokens add up to one. */
export function weighted(examples: readonly WeightedExample[]): TokenisedExample[] {
  const targets = ({ tokens, promptLength }: WeightedExample) => tokens.length - promptLength;
  const total = examples.reduce((sum, example) => sum + targets(example) * example.weight, 0);
  return examples.map((example) => {
    const { tokens, promptLength, weight } = example;
    return { tokens, promptLength, weights: new Float64Array(targets(example)).fill(weight / total) };
  });
}

/** An example of random tokens. */
export function randomExample(
  seed: number,
  length: number,
  promptLength: number,
  weight: number,
  vocabularySize = TINY_SHAPE.vocabularySize,
): WeightedExample {
  const uniform = uniformGenerator(seed);
  return { tokens: Array.from({ length }, () => Math.floor(uniform() * vocabularySize)), promptLength, weight };
}

/** Weights large enough that no part of the model is nearly linear. */
export function lively(parameters: Float32Array, seed: number): Float32Array {
  const uniform = uniformGenerator(seed);
  return parameters.map((value) => value + 0.8 * (uniform() - 0.5));
}
