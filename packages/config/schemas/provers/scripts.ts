/**
 * The prover `scripts`: the fixed list of `packages/lean-explore/portfolio`. It samples nothing, so its pass rate is
 * 0 or 1.
 */
import { z } from 'zod';
import { leanProver, namePrompts, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';

const own = { mode: z.literal('scripts'), ...leanProver };
export const scriptsSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);

/** Also the last step of a prover that scripts follow. */
export const SCRIPTS = {
  activity: 'scriptShard',
  queue: 'lean',
  folder: 'scripts',
  doing: 'try scripts on',
  // The proofs were found under other limits, or in a process shared with other scripts. Checked alone, a proof can
  // need more heartbeats.
  isUnbounded: true,
} as const satisfies ProverTurn;

export const scripts = {
  turns: () => [SCRIPTS],
  writes: ['proofs'],
  checkedBy: 'lean',
  answersOnce: true,
  asksNoModel: true,
  evaluated: 'the fixed list of scripts, which takes no --model',
  explainedShare: EXPLAINED_SHARE,
} satisfies Prover<z.infer<typeof scriptsSchema>>;
