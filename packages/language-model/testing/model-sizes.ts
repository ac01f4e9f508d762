/** Shapes of models for tests and benches, named by their approximate number of weights. */
import type { ModelShape } from '../trainer.ts';

const COMMON = { vocabularySize: 512, contextLength: 256, keyValueHeads: 2 } as const;

export const MODEL_SIZES = {
  /** 2,902,464 weights. */
  '3M': { ...COMMON, hiddenSize: 192, layers: 6, heads: 6, feedForwardSize: 640 },
  /** 15,145,344 weights. */
  '15M': { ...COMMON, hiddenSize: 384, layers: 8, heads: 6, feedForwardSize: 1280 },
} as const satisfies Readonly<Record<string, ModelShape>>;
