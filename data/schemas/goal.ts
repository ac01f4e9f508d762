/** A goal as prompts show it and records keep it; `lean/step` knows more of it. */
import { z } from 'zod';

export const goalSchema = z.strictObject({
  /** In Lean's order; names of one type that stand side by side are one entry. `value`: of a `let`. */
  hypotheses: z
    .array(z.strictObject({ names: z.array(z.string()).readonly(), type: z.string(), value: z.string().optional() }))
    .readonly(),
  target: z.string(),
});
export type ShownGoal = z.infer<typeof goalSchema>;

/** A step of a proof: the first goal before it, and the tactic. */
export const proofStepSchema = z.strictObject({ goal: goalSchema, tactic: z.string() });
export type ProofStep = z.infer<typeof proofStepSchema>;
