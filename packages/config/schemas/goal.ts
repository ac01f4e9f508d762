/** A goal as prompts show it and records keep it. `packages/lean-explore/step` has goals with more fields. */
import { z } from 'zod';

export const goalSchema = z.strictObject({
  /** In Lean's order; adjacent names of the same type form one entry. `value` is set for a `let`. */
  hypotheses: z
    .array(z.strictObject({ names: z.array(z.string()).readonly(), type: z.string(), value: z.string().optional() }))
    .readonly(),
  target: z.string(),
});
export type ShownGoal = z.infer<typeof goalSchema>;

/** A step of a proof: the first goal before the step, and the tactic. */
export const proofStepSchema = z.strictObject({ goal: goalSchema, tactic: z.string() });
export type ProofStep = z.infer<typeof proofStepSchema>;
