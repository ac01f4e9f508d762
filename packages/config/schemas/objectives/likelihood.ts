/** The objective `likelihood`: certified proofs train the model, weighted as `selection` says (STP). */
import { z } from 'zod';
import type { Objective } from './objective.ts';

/** Weighted log-likelihood of `exampleSchema` records. */
export const likelihoodSchema = z.strictObject({ kind: z.literal('likelihood') });

export const LIKELIHOOD: z.infer<typeof likelihoodSchema> = { kind: 'likelihood' };

export const likelihood = { provers: null, loss: () => LIKELIHOOD } satisfies Objective<
  z.infer<typeof likelihoodSchema>
>;
