/**
 * Standard shapes of the model, named by their approximate number of weights. All have a vocabulary of 512 tokens, a
 * context of 256, grouped queries and a tied head. `packages/language-model/embedded/sizes.test.ts` compares the numbers here with
 * the weights.
 */
import type { ModelShape } from '../trainer.ts';

const COMMON = { vocabularySize: 512, contextLength: 256, keyValueHeads: 2 } as const;

export const MODEL_SIZES = {
  /** 1,049,728 weights. A little over the preset `embedded`; learns its library in minutes on two cores. */
  '1M': { ...COMMON, hiddenSize: 128, layers: 4, heads: 4, feedForwardSize: 512 },
  /** 2,902,464 weights. */
  '3M': { ...COMMON, hiddenSize: 192, layers: 6, heads: 6, feedForwardSize: 640 },
  /** 15,145,344 weights. About fifteen times the work a token of the first. */
  '15M': { ...COMMON, hiddenSize: 384, layers: 8, heads: 6, feedForwardSize: 1280 },
} as const satisfies Readonly<Record<string, ModelShape>>;
