/** No conjecturer, as in expert iteration, parallel sampling, and training by reward. */
import { z } from 'zod';
import type { Conjecturer } from './conjecturer.ts';

export const noneSchema = z.strictObject({ source: z.literal('none') });

export const none = {
  before: null,
  isLearned: false,
  examples: 'tuples',
  after: null,
} as const satisfies Conjecturer;
