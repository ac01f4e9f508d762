/** Records of walks over proof states: tactic after tactic, as the policy samples them, without a search. */
import { z } from 'zod';
import { goalSchema } from './goal.ts';

const count = z.number().int().nonnegative();

export const walkSchema = z.strictObject({
  statementId: z.string(),
  /** Index of the walk among its statement's samples, from 0. */
  index: count,
  /** The open states of the walk in order. Equal keys are one state. */
  states: z
    .array(z.strictObject({ key: z.string().min(1).max(128), goal: goalSchema, goals: count.positive() }))
    .min(1),
  /** What the policy wrote in each state; the last state has no entry if the walk stayed there. */
  written: z.array(z.string()),
  /**
   * `done`: no goal is left. `dead`: Lean refused the last tactic, or the tactic led back to an earlier state.
   * `stopped`: the policy stopped in the last state. `open`: the walk was cut off there.
   */
  end: z.enum(['done', 'dead', 'stopped', 'open']),
  /** The verifiers' weighted score of each written text; missing if the run has no verifiers. */
  scores: z.array(z.number()).optional(),
});
export type Walk = z.infer<typeof walkSchema>;
