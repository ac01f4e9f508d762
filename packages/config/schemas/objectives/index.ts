/**
 * Every objective with its constants, and the record of each kind. Every trainer reads the same records. An objective is a
 * function of the log-probabilities that the model gives to the records' texts.
 */
import { z } from 'zod';
import { preferenceObjectiveSchema } from './dpo.ts';
import { flowSchema, gfn, gfnSchema } from './gfn.ts';
import { grpo, grpoSchema, policySchema } from './grpo.ts';
import { likelihood, likelihoodSchema } from './likelihood.ts';
import type { Objective } from './objective.ts';

/** The loss that a trainer computes. */
export const objectiveConfigSchema = z.discriminatedUnion('kind', [
  likelihoodSchema,
  policySchema,
  preferenceObjectiveSchema,
  flowSchema,
]);
export type ObjectiveConfig = z.infer<typeof objectiveConfigSchema>;

/** A run's objective, chosen by `objective.kind` of the configuration. A new one has a place here and one in `OBJECTIVES`. */
export const runObjectiveSchema = z.discriminatedUnion('kind', [likelihoodSchema, grpoSchema, gfnSchema]);
export type RunObjective = z.infer<typeof runObjectiveSchema>;
export type ObjectiveOf<Kind extends RunObjective['kind']> = Extract<RunObjective, { kind: Kind }>;
/** Rewards of all samples train the prover, not proofs. */
export type RewardObjective = Extract<RunObjective, { rewards: unknown }>;

const OBJECTIVES = { likelihood, grpo, gfn } satisfies {
  readonly [Kind in RunObjective['kind']]: Objective<ObjectiveOf<Kind>, ObjectiveConfig>;
};

/** Returns the loop's view of a configured objective. */
export const objectiveIn = ({ kind }: Pick<RunObjective, 'kind'>): Objective<RunObjective, ObjectiveConfig> =>
  OBJECTIVES[kind];

/** The part of a run's objective that its trainer computes. */
export const lossOf = (objective: RunObjective): ObjectiveConfig => objectiveIn(objective).loss(objective);

/** Do samples train the model by their rewards? */
export const trainsByReward = (objective: RunObjective): objective is RewardObjective => 'rewards' in objective;
