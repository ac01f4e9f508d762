/** The prover `whole`: a sample is a whole proof. */
import { z } from 'zod';
import { namePrompts, sampledProver, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';

const own = { mode: z.literal('whole'), ...sampledProver };
export const wholeSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);

/** The step of every prover whose samples are whole answers. */
export const SAMPLE = {
  activity: 'sampleShard',
  queue: 'host',
  folder: null,
  doing: 'sample',
} as const satisfies ProverTurn;

export const whole = {
  turns: () => [SAMPLE],
  writes: ['proofs'],
  checkedBy: 'lean',
  evaluated: 'whole proofs',
  explainedShare: EXPLAINED_SHARE,
} satisfies Prover<z.infer<typeof wholeSchema>>;
