/** The objective `likelihood`: certified proofs train the model, weighted as `selection` says (STP). */
import { z } from 'zod';
import type { Objective } from './objective.ts';

/** Weighted log-likelihood of `exampleSchema` records. */
export const likelihoodSchema = z.strictObject({ kind: z.literal('likelihood') });

export const LIKELIHOOD: z.infer<typeof likelihoodSchema> = { kind: 'likelihood' };

export const proofsSchema = likelihoodSchema.extend({
  /** SFT examples mixed in, as a share of the round's own (0: none, STP). */
  sftShare: z.number().nonnegative().max(100).default(0),
});

export const likelihood: Objective<z.infer<typeof proofsSchema>> = { provers: null, loss: () => LIKELIHOOD };
