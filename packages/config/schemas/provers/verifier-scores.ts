/** Learned verifiers that score tactics for a prover over proof states (docs/rewards.md). */
import { z } from 'zod';

export const verifierShape = {
  /** Folder of the ensemble on every sampling node; null: none. */
  verifier: z.string().min(1).max(4_096).nullable().default(null),
  /** Weight of the ensemble's score, in natural logarithms. */
  verifierWeight: z.number().min(0).max(1_000).default(1),
  /** How members' scores combine: the mean minus `verifierCaution` standard deviations, or the minimum. */
  verifierBy: z.enum(['mean', 'minimum']).default('mean'),
  verifierCaution: z.number().min(0).max(100).default(1),
};
const verifierSchema = z.strictObject(verifierShape);
export type VerifierConfig = z.infer<typeof verifierSchema>;
