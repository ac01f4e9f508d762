/** Results of a round, or of a pass of it: rates, and proofs with the certificates of their judgements. */
import { artifactRefSchema } from '@stp/config/records';
import { z } from 'zod';

export const collectedSchema = z.strictObject({
  rates: artifactRefSchema,
  proved: artifactRefSchema,
  /** Samples whose object Lean's kernel accepts and the second one refuses. */
  disagreements: z.number().int().nonnegative(),
});
export type Collected = z.infer<typeof collectedSchema>;
