/** Results of a round or of a pass: rates, and proofs with their certificates. */
import { artifactRefSchema } from '@stp/config/records';
import { z } from 'zod';

export const collectedSchema = z.strictObject({
  rates: artifactRefSchema,
  proved: artifactRefSchema,
  /** Number of samples whose object Lean's kernel accepts and the second kernel refuses. */
  disagreements: z.number().int().nonnegative(),
});
export type Collected = z.infer<typeof collectedSchema>;
