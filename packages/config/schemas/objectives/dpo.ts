/**
 * The objective `dpo`: the model learns to prefer the better of two texts. It trains ensembles of verifiers, not
 * runs.
 */
import { z } from 'zod';
import { roleSchema } from '../records.ts';

const aboveZero = z.number().positive();

/** Direct preference optimisation (arXiv 2305.18290). */
export const preferenceObjectiveSchema = z.strictObject({
  kind: z.literal('dpo'),
  beta: aboveZero.max(100).default(0.1),
});
export type PreferenceObjective = z.infer<typeof preferenceObjectiveSchema>;

/** A record for `dpo`: a chosen and a rejected target, as in TRL, with a weight and a role. */
export const preferenceSchema = z.strictObject({
  prompt: z.string(),
  chosen: z.string(),
  rejected: z.string(),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type Preference = z.infer<typeof preferenceSchema>;
