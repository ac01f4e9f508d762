/**
 * The provers that search over proof states. `steps`: the only sample of a statement is one search, tactic by tactic,
 * so its pass rate is 0 or 1. `both`: whole proofs first, then one search for each unproved statement, as one more
 * sample.
 */
import { z } from 'zod';
import { nameStatePrompts, sampledProver, slotPrompts } from './prompts.ts';
import { EXPLAINED_SHARE, type Prover, type ProverTurn } from './prover.ts';
import { verifierShape } from './verifier-scores.ts';
import { SAMPLE } from './whole.ts';

/** Best-first search over proof states, one search per statement (docs/decisions/0014). */
const searchSchema = z.strictObject({
  /** Maximum number of states that a search expands. */
  expansions: z.number().int().positive().max(1_000_000).default(32),
  /** Tactics sampled for one state. Equal tactics are run once. */
  tactics: z.number().int().positive().max(1_024).default(8),
  /** α of a state's score Σ log p / L^α over the L tactics that lead to it: 0 gives the sum, 1 the mean. */
  lengthExponent: z.number().min(0).max(4).default(0.5),
  /** Wall time of one search in seconds. It includes waits for the model and for Lean. */
  seconds: z.number().positive().max(86_400).default(120),
  /** Lean's processor time in seconds for all steps of one search. */
  leanSeconds: z.number().positive().max(86_400).default(30),
  /** The verifier's score of a tactic is added to the score of the resulting state. */
  ...verifierShape,
});
export type SearchConfig = z.infer<typeof searchSchema>;

const search = searchSchema.prefault({});
const steps = { mode: z.literal('steps'), ...sampledProver, search };
const both = { mode: z.literal('both'), ...sampledProver, search };
export const stepsSchema = z.discriminatedUnion('slots', [slotPrompts.extend(steps), nameStatePrompts.extend(steps)]);
export const bothSchema = z.discriminatedUnion('slots', [slotPrompts.extend(both), nameStatePrompts.extend(both)]);

const SEARCH = {
  activity: 'searchShard',
  queue: 'host',
  folder: 'search',
  doing: 'search',
} as const satisfies ProverTurn;
const checked = { checkedBy: 'lean', explainedShare: EXPLAINED_SHARE } as const;

export const stepsProver = {
  turns: () => [SEARCH],
  writes: ['tactics'],
  evaluated: 'best-first search by steps with one attempt per statement',
  answersOnce: true,
  ...checked,
} satisfies Prover<z.infer<typeof stepsSchema>>;

export const bothProver = {
  turns: () => [SAMPLE, SEARCH],
  writes: ['proofs', 'tactics'],
  ...checked,
  /** Models are compared by whole proofs alone, so that pass@k has one meaning. */
  compared: ({ search: _, ...config }) => ({ ...config, mode: 'whole' }),
} satisfies Prover<z.infer<typeof bothSchema>>;
