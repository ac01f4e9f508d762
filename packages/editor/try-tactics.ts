/** Opens a position in a file, and tries a caller's tactics there, each separately. */
import type { PositionState } from '@stp/lean-explore';
import { checkProposal, goalTexts, REASON_CHARS_MAX, refusal } from './check-proposal.ts';
import type { LeanPosition, LeanPositions } from './lean-positions.ts';
import { refusedWords } from './own-words.ts';
import type { Suggestion } from './suggestion.ts';
import { untilAborted } from './until-aborted.ts';

/** Goals at a position, or the reason why there are none. */
export type PositionGoals =
  | {
      readonly goals: readonly string[];
      /** Lean's errors above the position. */
      readonly errors: readonly string[];
      readonly problem: null;
    }
  | { readonly goals: readonly []; readonly errors: readonly []; readonly problem: string };

export type TriedTactics = PositionGoals & {
  /** In the order of the tactics; null for those that were not tried in time. */
  readonly tried: readonly (Suggestion | null)[];
};

/** Time limit for reading a file up to the position, ms. Lean proves its theorems again. */
const OPENING_MS = 60_000;

/** `context` is the file up to the beginning of a tactic. Rejects with the signal's reason. */
export async function goalsAtPosition(
  positions: LeanPositions,
  context: string,
  signal: AbortSignal,
): Promise<PositionGoals> {
  const { goals } = await openPosition(positions, context, signal);
  return goals;
}

/**
 * Tries each tactic on the goals at the position. `stepMs` is Lean's processor time limit for one tactic. Rejects with
 * the signal's reason. When `late` aborts, returns the results so far.
 *
 * @param onTried receives the number of tried tactics
 */
export async function tryTactics(
  positions: LeanPositions,
  { context, tactics, stepMs }: { context: string; tactics: readonly string[]; stepMs: number },
  { signal, late }: { readonly signal: AbortSignal; readonly late: AbortSignal },
  onTried: (count: number) => void = () => {},
): Promise<TriedTactics> {
  const over = AbortSignal.any([signal, late]);
  const tried = new Array<Suggestion | null>(tactics.length).fill(null);
  const { state, position, goals } = await openPosition(positions, context, signal);
  if (state === null) return { ...goals, tried };
  const open = { state, others: [], words: refusedWords(context) };
  for (const [index, text] of tactics.entries()) {
    try {
      // Other callers may use the process between two tactics. A signal ends the process in the middle of one.
      const checked = position.exclusive(async () => {
        const given = { proposal: { text, score: null }, source: 'given' };
        const { suggestion } = await checkProposal(given, open, { stepMs, signal: over });
        tried[index] = suggestion;
      }, over);
      await untilAborted(checked, over);
      onTried(index + 1);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      break;
    }
  }
  return { ...goals, tried: [...tried] };
}

async function openPosition(
  positions: LeanPositions,
  context: string,
  signal: AbortSignal,
): Promise<{ readonly position: LeanPosition; readonly state: PositionState | null; readonly goals: PositionGoals }> {
  const position = positions.pick(context);
  const opened = await untilAborted(
    position.exclusive(() => position.open({ deadlineMs: OPENING_MS, signal }), signal),
    signal,
  );
  if (opened.kind === 'invalid')
    return { position, state: null, goals: { goals: [], errors: [], problem: refusal(opened).reason } };
  const errors = opened.messages.map(({ text }) => text.slice(0, REASON_CHARS_MAX));
  return { position, state: opened.state, goals: { goals: goalTexts(opened.state.goals), errors, problem: null } };
}
