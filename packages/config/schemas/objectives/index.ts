/**
 * Every objective with its constants, and the kinds of training records. Every trainer reads the same records. An
 * objective is a function of the log-probabilities that the model gives to the records' texts.
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

/** A run's objective, chosen by `objective.kind`. A new objective is added here and in `OBJECTIVES`. */
export const runObjectiveSchema = z.discriminatedUnion('kind', [likelihoodSchema, grpoSchema, gfnSchema]);
export type RunObjective = z.infer<typeof runObjectiveSchema>;
export type ObjectiveOf<Kind extends RunObjective['kind']> = Extract<RunObjective, { kind: Kind }>;
/** An objective that trains the prover on the rewards of all samples, not on proofs alone. */
export type RewardObjective = Extract<RunObjective, { rewards: unknown }>;

const OBJECTIVES = { likelihood, grpo, gfn } satisfies {
  readonly [Kind in RunObjective['kind']]: Objective<ObjectiveOf<Kind>, ObjectiveConfig>;
};

/** Returns the loop's interface to a configured objective. */
export const objectiveIn = ({ kind }: Pick<RunObjective, 'kind'>): Objective<RunObjective, ObjectiveConfig> =>
  OBJECTIVES[kind];

/** Returns the part of a run's objective that the trainer computes. */
export const lossOf = (objective: RunObjective): ObjectiveConfig => objectiveIn(objective).loss(objective);

/** Returns whether samples train the model by their rewards. */
export const trainsByReward = (objective: RunObjective): objective is RewardObjective => 'rewards' in objective;
