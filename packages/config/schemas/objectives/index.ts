/**
 * What a training makes of its records: every objective with its constants, and the record of each kind. Every trainer reads the
 * same records. An objective is a function of the log-probabilities that the model gives to the records' texts.
 */
import { z } from 'zod';
import { preferenceObjectiveSchema } from './dpo.ts';
import { flowSchema, GFN_PROVERS, gfnSchema } from './gfn.ts';
import { GRPO_PROVERS, grpoSchema, policySchema } from './grpo.ts';
import { likelihoodSchema, proofsSchema } from './likelihood.ts';

/** What a trainer computes. */
export const objectiveConfigSchema = z.discriminatedUnion('kind', [
  likelihoodSchema,
  policySchema,
  preferenceObjectiveSchema,
  flowSchema,
]);
export type ObjectiveConfig = z.infer<typeof objectiveConfigSchema>;

/** What a run trains its prover by: `objective.kind` of the configuration. */
export const runObjectiveSchema = z.discriminatedUnion('kind', [proofsSchema, grpoSchema, gfnSchema]);
export type RunObjective = z.infer<typeof runObjectiveSchema>;
export type ObjectiveOf<Kind extends RunObjective['kind']> = Extract<RunObjective, { kind: Kind }>;
/** Rewards of all samples train the prover, not proofs. */
export type RewardObjective = Extract<RunObjective, { rewards: unknown }>;

/** Provers whose samples an objective takes; null: proofs of any. */
export const OBJECTIVE_PROVERS: Readonly<Record<RunObjective['kind'], readonly string[] | null>> = {
  likelihood: null,
  grpo: GRPO_PROVERS,
  gfn: GFN_PROVERS,
};

const lossSchema = z.discriminatedUnion('kind', [
  z.object(likelihoodSchema.shape),
  z.object(policySchema.shape),
  z.object(flowSchema.shape),
]);

/** The part of a run's objective that its trainer computes. */
export const lossOf = (objective: RunObjective): ObjectiveConfig => lossSchema.parse(objective);

/** Do samples train the model by their rewards? */
export const trainsByReward = (objective: RunObjective): objective is RewardObjective => 'rewards' in objective;
