/**
 * A best-first search for a whole proof at a position (`packages/selfplay/search`), with the engines' proposals as
 * tactics.
 */
import type { PositionState, StepOptions } from '@stp/lean-explore';
import { searchProof } from '@stp/selfplay';
import type { Engine, Proposal, Query } from './engines/engine.ts';
import { type LeanPosition, retried } from './lean-positions.ts';

const EXPANSIONS_MAX = 10_000;
const LENGTH_EXPONENT = 0.5;
/** Maximum tactics of each engine in each state. */
const TACTICS_MAX = 16;
/** Log-probability assumed for proposals without one; `UNSCORED_STEP` is added for each index in their list. */
const UNSCORED = -4;
const UNSCORED_STEP = -0.25;

export interface PositionSearch {
  readonly state: PositionState;
  readonly position: LeanPosition;
  readonly query: Query;
  readonly engines: readonly Engine[];
  readonly seconds: number;
  readonly step: StepOptions;
  readonly signal: AbortSignal;
  /** Returns why a tactic is refused before Lean reads it, or null. */
  readonly refuses: (tactic: string) => string | null;
  readonly onExpansion: (expansions: number) => void;
}

/**
 * Returns the tactics of a proof, one per line; null if none was found in time. An engine that fails proposes nothing.
 */
export async function searchAtPosition(search: PositionSearch): Promise<string | null> {
  const { state: root, position, query, seconds, step, signal, refuses, onExpansion } = search;
  const wallMs = 1_000 * seconds;
  const endsAt = performance.now() + wallMs;
  const outcome = await searchProof<PositionState>(
    { key: keyOf(root), state: root },
    {
      async propose(state, expansion) {
        signal.throwIfAborted();
        onExpansion(expansion);
        const [first] = state.goals;
        const prefix = state === root ? query.prefix : '';
        const goal = { hypotheses: [...first!.hypotheses], target: first!.target };
        return propose(
          search,
          { ...query, goal, prefix, state: keyOf(state) },
          Math.max(1, endsAt - performance.now()),
        );
      },
      async run(state, tactic) {
        signal.throwIfAborted();
        if (refuses(tactic) !== null) return { kind: 'invalid', why: 'forbidden', leanMs: 0 };
        const began = performance.now();
        const result = await retried(() => state.run(tactic, step));
        const leanMs = performance.now() - began;
        if (result.kind === 'invalid') return { kind: 'invalid', why: result.why, leanMs };
        if (result.kind === 'done') return { kind: 'done', state: result.state, leanMs };
        return { kind: 'open', key: keyOf(result.state), state: result.state, leanMs };
      },
      together: (work) => position.exclusive(work, signal),
      now: () => performance.now(),
    },
    { limits: { expansions: EXPANSIONS_MAX, wallMs, leanMs: wallMs }, lengthExponent: LENGTH_EXPONENT },
  );
  return outcome.end === 'proved' ? outcome.state.tactics.join('\n') : null;
}

async function propose({ engines, signal }: PositionSearch, query: Query, leftMs: number) {
  const either = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(leftMs))]);
  const answers = await Promise.all(engines.map((engine) => engine.propose(query, either).catch((): Proposal[] => [])));
  const best = new Map<string, number>();
  for (const proposals of answers)
    for (const [rank, { text, logprob }] of proposals.slice(0, TACTICS_MAX).entries()) {
      const likely = logprob ?? UNSCORED + UNSCORED_STEP * rank;
      best.set(text, Math.max(likely, best.get(text) ?? Number.NEGATIVE_INFINITY));
    }
  return [...best].map(([tactic, logprob]) => ({ tactic, logprob, count: 1 })).sort((a, b) => b.logprob - a.logprob);
}

const keyOf = (state: PositionState): string => state.goals.map(({ text }) => text).join('\n\n');
