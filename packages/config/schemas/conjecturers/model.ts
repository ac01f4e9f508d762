/** The conjecturer `model`: the model writes conjectures as texts (STP). */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';
import type { Conjecturer } from './conjecturer.ts';
import { learnedConjecturer } from './learned.ts';

export const modelSchema = z.strictObject({ source: z.literal('model'), ...conjecturing, ...learnedConjecturer });

export const model = {
  before: null,
  isLearned: true,
  examples: 'tuples',
  after: null,
} as const satisfies Conjecturer;
