/** The objective `gfn`: walks train the prover to end in each state with a probability proportional to its reward. */
import { z } from 'zod';
import { roleSchema } from '../records.ts';
import { rewardsSchema } from '../rewards/index.ts';
import type { Objective } from './objective.ts';

const aboveZero = z.number().positive();
const share = z.number().min(0).max(1);

/**
 * GFlowNet: a policy that ends in each state in proportion to its reward (arXiv 2106.04399; for language models
 * 2310.04363).
 */
export const flowSchema = z.strictObject({
  kind: z.literal('gfn'),
  /**
   * `trajectory`: trajectory balance with a learned log Z for each group (arXiv 2201.13259). `variance`: log Z is the
   * mean over the group (VarGrad, arXiv 2010.10436). `subtrajectory`: every stretch between two states (arXiv
   * 2209.12782); a state's flow follows from its reward and from the policy's probability of stopping there.
   */
  balance: z.enum(['trajectory', 'variance', 'subtrajectory']).default('variance'),
  /**
   * Weight of the reference model's log-probability in the log-reward of every text. With 1 the reference model is the
   * GFlowNet's prior, as in arXiv 2310.04363 and 2503.18929. With 0 all texts that Lean refuses have equal reward, and
   * most of the flow goes to them.
   */
  prior: share.default(1),
  /**
   * Constant of the trainer that a run does not set. With `subtrajectory`: a stretch of n steps has the weight
   * lambda^(n − 1).
   */
  lambda: aboveZero.max(10).default(1),
  /** With `trajectory`: learning rate of log Z, which starts at 0 and takes plain gradient steps. */
  logZRate: aboveZero.max(10).default(0.5),
});
export type FlowObjective = z.infer<typeof flowSchema>;

export const gfnSchema = flowSchema.omit({ lambda: true, logZRate: true }).extend({
  /** Replayed walks, as a share of a round's own walks; and the buffer's maximum number of walks for a statement. */
  bufferShare: share.default(0.25),
  bufferMax: z.number().int().positive().max(10_000).default(50),
  rewards: rewardsSchema,
});

const lossSchema = z.object(flowSchema.shape);

export const gfn = {
  provers: ['walks'],
  loss: (config) => lossSchema.parse(config),
} satisfies Objective<z.infer<typeof gfnSchema>>;

/** Maximum states of a trajectory and trajectories of a group. They bound the memory of one step. */
const TRAJECTORY_STATES_MAX = 257;
const GROUP_TRAJECTORIES_MAX = 1_024;

const trajectorySchema = z
  .strictObject({
    /** The states in order. The policy sees each as a prompt. */
    states: z
      .array(
        z.strictObject({
          prompt: z.string(),
          /** The text by which the policy stops here; null if it has no choice, as after a finished proof. */
          stop: z.string().min(1).nullable(),
          /** Natural logarithm of the reward for stopping here. */
          logReward: z.number(),
          /**
           * Natural log of the backward probability of the step to this state: 0 in a tree, − log of the number of
           * incoming steps where states merge.
           */
          logBackward: z.number().max(0),
        }),
      )
      .min(2)
      .max(TRAJECTORY_STATES_MAX),
    /** The target that leads from each state to the next. */
    targets: z.array(z.string()),
  })
  .refine(({ states, targets }) => targets.length === states.length - 1, 'there must be one target less than states');

/** A record for `gfn`: trajectories from one first state, which share one Z. */
export const flowGroupSchema = z.strictObject({
  /** Name under which the trainer keeps log Z. */
  group: z.string().min(1).max(128),
  trajectories: z.array(trajectorySchema).min(1).max(GROUP_TRAJECTORIES_MAX),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type FlowGroup = z.infer<typeof flowGroupSchema>;
