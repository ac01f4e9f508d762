/**
 * The conjecturer `random`, a negative control: as many well-typed equations as `explore` would find, not tested on
 * values.
 */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';
import type { Conjecturer } from './conjecturer.ts';
import { EXPLORE } from './explore.ts';

export const randomSchema = z.strictObject({ source: z.literal('random'), ...conjecturing });

export const random = {
  before: null,
  isLearned: false,
  examples: null,
  after: EXPLORE,
} as const satisfies Conjecturer;
