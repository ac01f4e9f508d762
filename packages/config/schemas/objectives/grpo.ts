/** The objective `grpo`: every sample trains the prover by its advantage over the others of its statement. */
import { z } from 'zod';
import { exampleSchema } from '../records.ts';
import { rewardsSchema } from '../rewards/index.ts';
import type { Objective } from './objective.ts';

const aboveZero = z.number().positive();

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
   * How the losses of tokens become one loss. `token-mean`: the mean over all tokens of the step. The others are means over
   * sequences: of their tokens' sum, of their mean (GRPO as published), or of their sum over `lengthNorm` (Dr. GRPO).
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
export type PolicyObjective = z.infer<typeof policySchema>;

export const grpoSchema = policySchema.extend({
  /** The reward less the group's mean: over the group's standard deviation (GRPO), or as it is (Dr. GRPO: `mean`). */
  advantage: z.enum(['deviation', 'mean']).default('deviation'),
  rewards: rewardsSchema,
});

const lossSchema = z.object(policySchema.shape);

export const grpo = {
  /** Each sample is one text of the model. */
  provers: ['whole', 'judged'],
  loss: (config) => lossSchema.parse(config),
} satisfies Objective<z.infer<typeof grpoSchema>>;

/** For `grpo`: a sample with its advantage. `weight` is how often it was drawn. */
export const policyExampleSchema = exampleSchema.extend({
  advantage: z.number(),
  /** Natural log-probability of the target, its end included, under the policy that sampled it; null where it is not known. */
  logprob: z.number().nullable(),
});
export type PolicyExample = z.infer<typeof policyExampleSchema>;
