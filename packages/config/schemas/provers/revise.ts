/**
 * The prover `revise`: the model writes whole proofs, then sees Lean's errors. Each new answer is one more sample, as
 * in Goedel-Prover-V2's self-correction (arXiv 2508.03613).
 */
import { z } from 'zod';
import { namePrompts, sampledProver, slotPrompts } from './prompts.ts';
import type { Prover, ProverTurn } from './prover.ts';
import { SAMPLE } from './whole.ts';

const revisionSchema = z.strictObject({
  /** Maximum number of answers after the first one of a sample. */
  turns: z.number().int().positive().max(16).default(2),
  /**
   * Maximum tokens of all answers to one statement in a shard, first answers and revisions together. A revision is
   * requested only while `sampling.maxTokens` fit. Null: only `turns` limits.
   */
  tokensPerStatement: z.number().int().positive().nullable().default(null),
});

const own = { mode: z.literal('revise'), ...sampledProver, revision: revisionSchema.prefault({}) };
export const reviseSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);

const REVISE = { activity: 'reviseShard', queue: 'host', doing: 'revise' } as const satisfies Omit<
  ProverTurn,
  'folder'
>;

export const revise = {
  /** Each step is checked before the next, since the model is shown Lean's errors. */
  turns: ({ revision }) => [
    { ...SAMPLE, keepsAnswers: true },
    ...Array.from({ length: revision.turns }, (_, at) => ({ ...REVISE, folder: `turn-${at + 1}` })),
  ],
  tellsErrors: true,
  evaluated: "whole proofs that are revised by Lean's errors",
  writes: ['proofs'],
  checkedBy: 'lean',
  explainedShare: 1,
} satisfies Prover<z.infer<typeof reviseSchema>>;
