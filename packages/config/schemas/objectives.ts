/**
 * What a training makes of its records: the objective with its constants, and the record of each kind. Every trainer reads the
 * same records. An objective is a function of the log-probabilities that the model gives to the records' texts.
 */
import { z } from 'zod';
import { exampleSchema, roleSchema } from './records.ts';

const aboveZero = z.number().positive();
const share = z.number().min(0).max(1);

/**
 * Group-relative policy optimisation (arXiv 2402.03300; Dr. GRPO: arXiv 2503.20783). The advantages stand in the records
 * (`packages/selfplay/rewards/advantages.ts`); here is what a step makes of them.
 */
export const policySchema = z.strictObject({
  kind: z.literal('grpo'),
  /** A token's ratio to the policy before the training counts between 1 − low and 1 + high (arXiv 1707.06347). */
  clipLow: aboveZero.max(1).default(0.2),
  clipHigh: aboveZero.max(10).default(0.2),
  /** For negative advantages the loss of a token is at most so many times its advantage (dual clip, arXiv 1912.09729). */
  dualClip: z.number().gt(1).max(1_000).default(3),
  /**
   * Of tokens to a loss. `token-mean`: over all tokens of the step. The others are means over sequences: of their tokens' sum,
   * of their mean (GRPO as published), or of their sum over `lengthNorm` (Dr. GRPO).
   */
  aggregation: z
    .enum(['token-mean', 'seq-mean-token-sum', 'seq-mean-token-mean', 'seq-mean-token-sum-norm'])
    .default('token-mean'),
  /** The constant length of `seq-mean-token-sum-norm`, tokens. */
  lengthNorm: aboveZero.default(1_024),
  /** Weight of the divergence from the reference model; 0: no reference is asked. */
  klCoefficient: z.number().nonnegative().max(100).default(0),
  /** Estimators of the divergence at one token, with d = log π − log π_ref: d, d²/2, and e^(−d) + d − 1. */
  klEstimator: z.enum(['k1', 'k2', 'k3']).default('k3'),
  /**
   * A sequence that another policy sampled counts as often as this one would have sampled it, at most so many times (truncated
   * importance weight). Records without the sampler's log-probability count once.
   */
  importanceMax: aboveZero.max(1_000).default(2),
});

/** Direct preference optimisation (arXiv 2305.18290). */
const preferenceObjectiveSchema = z.strictObject({
  kind: z.literal('dpo'),
  beta: aboveZero.max(100).default(0.1),
});

/** Flows: a policy that ends in each place as often as its reward says (arXiv 2106.04399; for language models 2310.04363). */
export const flowSchema = z.strictObject({
  kind: z.literal('gfn'),
  /**
   * `trajectory`: trajectory balance with a learned log Z a group (arXiv 2201.13259). `variance`: log Z is the mean over the
   * group (VarGrad, arXiv 2010.10436). `subtrajectory`: every stretch between two states (arXiv 2209.12782), whose flows
   * follow from their rewards and from the policy's probability to stop there.
   */
  balance: z.enum(['trajectory', 'variance', 'subtrajectory']).default('variance'),
  /**
   * So many times its log-probability under the reference model is a part of the reward of every text. With 1 a flow is the reference
   * model tilted by the rewards, as in arXiv 2310.04363 and 2503.18929. With 0 all texts that Lean refuses weigh the same, and most of the flow is theirs.
   */
  prior: share.default(1),
  /** With `subtrajectory`: weight of a stretch of n steps is this to the n − 1. */
  lambda: aboveZero.max(10).default(1),
  /** With `trajectory`: rate of the plain gradient steps of log Z, which starts at 0. */
  logZRate: aboveZero.max(10).default(0.5),
});

/** Weighted log-likelihood of `exampleSchema` records. */
export const likelihoodSchema = z.strictObject({ kind: z.literal('likelihood') });

export const objectiveConfigSchema = z.discriminatedUnion('kind', [
  likelihoodSchema,
  policySchema,
  preferenceObjectiveSchema,
  flowSchema,
]);
export type ObjectiveConfig = z.infer<typeof objectiveConfigSchema>;
export type PolicyObjective = z.infer<typeof policySchema>;
export type PreferenceObjective = z.infer<typeof preferenceObjectiveSchema>;
export type FlowObjective = z.infer<typeof flowSchema>;

export const LIKELIHOOD: z.infer<typeof likelihoodSchema> = { kind: 'likelihood' };

/** For `grpo`: a sample with its advantage. `weight` is how often it was drawn. */
export const policyExampleSchema = exampleSchema.extend({
  advantage: z.number(),
  /** Natural log-probability of the target, its end included, under the policy that sampled it; null where it is not known. */
  logprob: z.number().nullable(),
});
export type PolicyExample = z.infer<typeof policyExampleSchema>;

/** For `dpo`: of two targets the better one. TRL's row, with a weight and a role. */
export const preferenceSchema = z.strictObject({
  prompt: z.string(),
  chosen: z.string(),
  rejected: z.string(),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type Preference = z.infer<typeof preferenceSchema>;

/** Longest trajectory, and trajectories of one group: bounds what one step holds. */
const TRAJECTORY_STATES_MAX = 257;
const GROUP_TRAJECTORIES_MAX = 1_024;

const trajectorySchema = z
  .strictObject({
    /** From the first to the one it ends in; the policy meets each as a prompt. */
    states: z
      .array(
        z.strictObject({
          prompt: z.string(),
          /** The text by which the policy stops here; null where it has no choice, as after a finished proof. */
          stop: z.string().min(1).nullable(),
          /** Natural logarithm of the reward for stopping here. */
          logReward: z.number(),
          /** Natural log-probability, backwards, of the step that led here: 0 in a tree, − log of its ways in where states merge. */
          logBackward: z.number().max(0),
        }),
      )
      .min(2)
      .max(TRAJECTORY_STATES_MAX),
    /** The target that leads from each state to the next. */
    targets: z.array(z.string()),
  })
  .refine(({ states, targets }) => targets.length === states.length - 1, 'there must be one target less than states');

/** For `gfn`: trajectories from one first state, which have one Z. */
export const flowGroupSchema = z.strictObject({
  /** What log Z is known by. */
  group: z.string().min(1).max(128),
  trajectories: z.array(trajectorySchema).min(1).max(GROUP_TRAJECTORIES_MAX),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type FlowGroup = z.infer<typeof flowGroupSchema>;
