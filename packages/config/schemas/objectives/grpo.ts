/** The objective `grpo`: every sample trains the prover by its advantage within its statement's group. */
import { z } from 'zod';
import { exampleSchema } from '../records.ts';
import { rewardsSchema } from '../rewards/index.ts';
import type { Objective } from './objective.ts';

const aboveZero = z.number().positive();

/**
 * Group-relative policy optimisation (arXiv 2402.03300; Dr. GRPO: arXiv 2503.20783). Records contain the advantages
 * (`packages/selfplay/rewards/advantages.ts`); these settings define the loss.
 */
export const policySchema = z.strictObject({
  kind: z.literal('grpo'),
  /**
   * A token's probability ratio to the policy before the training is clipped to [1 − low, 1 + high] (arXiv
   * 1707.06347).
   */
  clipLow: aboveZero.max(1).default(0.2),
  clipHigh: aboveZero.max(10).default(0.2),
  /** For negative advantages a token's loss is at most this many times its advantage (dual clip, arXiv 1912.09729). */
  dualClip: z.number().gt(1).max(1_000).default(3),
  /**
   * How token losses become one loss. `token-mean` is the mean over all tokens of the step. The others are means over
   * sequences: of the sum over tokens, of the mean over tokens (GRPO as published), or of the sum over tokens divided
   * by `lengthNorm` (Dr. GRPO).
   */
  aggregation: z
    .enum(['token-mean', 'seq-mean-token-sum', 'seq-mean-token-mean', 'seq-mean-token-sum-norm'])
    .default('token-mean'),
  /** The constant length of `seq-mean-token-sum-norm`, tokens. */
  lengthNorm: aboveZero.default(1_024),
  /** Weight of the KL divergence from the reference model; 0: no reference is used. */
  klCoefficient: z.number().nonnegative().max(100).default(0),
  /** Estimator of the KL divergence at one token, with d = log π − log π_ref: d, d²/2, or e^(−d) + d − 1. */
  klEstimator: z.enum(['k1', 'k2', 'k3']).default('k3'),
  /**
   * Maximum importance weight of a sequence that another policy sampled (truncated importance sampling). Records
   * without the sampler's log-probability have weight 1.
   */
  importanceMax: aboveZero.max(1_000).default(2),
});
export type PolicyObjective = z.infer<typeof policySchema>;

export const grpoSchema = policySchema.extend({
  /**
   * The reward minus the group's mean, divided by the group's standard deviation (`deviation`, GRPO) or not (`mean`,
   * Dr. GRPO).
   */
  advantage: z.enum(['deviation', 'mean']).default('deviation'),
  rewards: rewardsSchema,
});

const lossSchema = z.object(policySchema.shape);

export const grpo = {
  /** Provers whose samples are each one text of the model. */
  provers: ['whole', 'judged'],
  loss: (config) => lossSchema.parse(config),
} satisfies Objective<z.infer<typeof grpoSchema>>;

/** A record for `grpo`: a sample with its advantage. `weight` is the number of times it was drawn. */
export const policyExampleSchema = exampleSchema.extend({
  advantage: z.number(),
  /** Natural log-probability of the target, its end included, under the sampling policy; null if unknown. */
  logprob: z.number().nullable(),
});
export type PolicyExample = z.infer<typeof policyExampleSchema>;
