/** Opens a place in a file, and tries tactics of a caller there, each by itself. */
import type { PlaceState } from '@stp/lean-explore';
import { checkProposal, goalTexts, REASON_CHARS_MAX, refusal } from './check-proposal.ts';
import type { LeanPlace, LeanPlaces } from './lean-places.ts';
import { refusedWords } from './own-words.ts';
import type { Suggestion } from './suggestion.ts';
import { untilAborted } from './until-aborted.ts';

/** Goals at a place, or why there are none. */
export type PlaceGoals =
  | {
      readonly goals: readonly string[];
      /** Errors above the place, as Lean says them. */
      readonly errors: readonly string[];
      readonly problem: null;
    }
  | { readonly goals: readonly []; readonly errors: readonly []; readonly problem: string };

export type TriedTactics = PlaceGoals & {
  /** In the order of the tactics; null for those that time did not suffice for. */
  readonly tried: readonly (Suggestion | null)[];
};

/** A file is read to the place: its theorems are proved again. */
const OPENING_MS = 60_000;

/** `context`: the file up to the place where a tactic begins. Rejects with the signal's reason. */
export async function placeGoals(places: LeanPlaces, context: string, signal: AbortSignal): Promise<PlaceGoals> {
  const { goals } = await openPlace(places, context, signal);
  return goals;
}

/**
 * Tries each tactic on the goals of the place. `stepMs`: Lean's processor time for one. Rejects with the signal's reason, and at
 * the end of `late` returns what was tried.
 *
 * @param onTried hears how many were tried so far
 */
export async function tryTactics(
  places: LeanPlaces,
  { context, tactics, stepMs }: { context: string; tactics: readonly string[]; stepMs: number },
  { signal, late }: { readonly signal: AbortSignal; readonly late: AbortSignal },
  onTried: (count: number) => void = () => {},
): Promise<TriedTactics> {
  const over = AbortSignal.any([signal, late]);
  const tried = new Array<Suggestion | null>(tactics.length).fill(null);
  const { state, place, goals } = await openPlace(places, context, signal);
  if (state === null) return { ...goals, tried };
  const open = { state, others: [], words: refusedWords(context) };
  for (const [index, text] of tactics.entries()) {
    try {
      // Others may have their turn between two, and no check is awaited beyond the time.
      const turn = place.turn(async () => {
        const { suggestion } = await checkProposal({ proposal: { text, score: null }, source: 'given' }, open, stepMs);
        tried[index] = suggestion;
      }, over);
      await untilAborted(turn, over);
      onTried(index + 1);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      break;
    }
  }
  return { ...goals, tried: [...tried] };
}

async function openPlace(
  places: LeanPlaces,
  context: string,
  signal: AbortSignal,
): Promise<{ readonly place: LeanPlace; readonly state: PlaceState | null; readonly goals: PlaceGoals }> {
  const place = places.pick(context);
  const opened = await untilAborted(
    place.turn(() => place.open({ deadlineMs: OPENING_MS }), signal),
    signal,
  );
  if (opened.kind === 'invalid')
    return { place, state: null, goals: { goals: [], errors: [], problem: refusal(opened).reason } };
  const errors = opened.messages.map(({ text }) => text.slice(0, REASON_CHARS_MAX));
  return { place, state: opened.state, goals: { goals: goalTexts(opened.state.goals), errors, problem: null } };
}
