/** The prover `judged`: problems and proofs are in words, and judges give marks instead of Lean's verdicts. */
import { z } from 'zod';
import { namePrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover } from './prover.ts';
import { SAMPLE } from './whole.ts';

export const judgedSchema = namePrompts.extend({ mode: z.literal('judged') });

export const judged = {
  turns: () => [SAMPLE],
  writes: ['proofs'],
  checkedBy: 'judges',
  explainedShare: EXPLAINED_SHARE,
} satisfies Prover<z.infer<typeof judgedSchema>>;
