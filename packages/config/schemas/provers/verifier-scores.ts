/** Learned verifiers that score tactics for a prover that meets proof states (docs/rewards.md). */
import { z } from 'zod';

export const verifierShape = {
  /** Folder of the ensemble on every node that samples; null: none. */
  verifier: z.string().min(1).max(4_096).nullable().default(null),
  /** Weight of its score, in natural logarithms. */
  verifierWeight: z.number().min(0).max(1_000).default(1),
  /** The mean over the members less `verifierCaution` standard deviations, or the least of them. */
  verifierBy: z.enum(['mean', 'minimum']).default('mean'),
  verifierCaution: z.number().min(0).max(100).default(1),
};
const verifierSchema = z.strictObject(verifierShape);
export type VerifierConfig = z.infer<typeof verifierSchema>;
