/** Records of walks over proof states: one tactic after another, as the policy samples them, without choosing among states. */
import { z } from 'zod';
import { goalSchema } from './goal.ts';

const count = z.number().int().nonnegative();

export const walkSchema = z.strictObject({
  statementId: z.string(),
  /** Which of its statement's samples it is, from 0. */
  index: count,
  /** The open states that it met, the first one first. Equal keys are one state. */
  states: z
    .array(z.strictObject({ key: z.string().min(1).max(128), goal: goalSchema, goals: count.positive() }))
    .min(1),
  /** What the policy wrote in each of them, the last one left out where the walk stayed there. */
  written: z.array(z.string()),
  /**
   * `done`: no goal is left. `dead`: Lean refused the last tactic, or it led back to where the walk had been. `stopped`: the policy
   * stopped in the last state; `open`: the walk was cut off there.
   */
  end: z.enum(['done', 'dead', 'stopped', 'open']),
  /** The score that the run's verifiers give each written text, weighted; missing where there are none. */
  scores: z.array(z.number()).optional(),
});
export type Walk = z.infer<typeof walkSchema>;
