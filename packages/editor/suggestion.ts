/** The types of a request for suggestions and of its answer, and the order of suggestions. */

/** `done`: no goal remains. `valid`: goals remain. `forbidden`: not allowed in any proof. */
export const SUGGESTION_CLASSES = ['done', 'valid', 'invalid', 'forbidden'] as const;
export type SuggestionClass = (typeof SUGGESTION_CLASSES)[number];

export interface SuggestionRequest {
  /** Goals as Lean prints them. Null: ask Lean for the goals below `context`. */
  readonly tacticState: string | null;
  /** Required beginning of every suggestion. */
  readonly prefix: string;
  /** The file up to the beginning of the tactic; empty if only the goal is known. */
  readonly context: string;
  /** Time for a search for a whole proof in addition to single tactics, s; 0 for none. */
  readonly searchSeconds: number;
  /** Wall-time limit for checking one engine's proposals, s. Null: the suggester's default. */
  readonly answerSeconds: number | null;
  /** Wait for every engine, even after the goal was closed. */
  readonly all: boolean;
}

export interface Suggestion {
  readonly text: string;
  readonly class: SuggestionClass;
  /** Goals after the suggestion. */
  readonly goals: readonly string[];
  /** Mean log-probability of its tokens; null for engines without one. */
  readonly score: number | null;
  /** The first engine that proposed it. */
  readonly source: string;
  /** Lean's time, ms. */
  readonly ms: number;
  /** Why it is invalid or forbidden; otherwise null. */
  readonly reason: string | null;
  /** False if Lean could not check it, so that its class has no meaning. */
  readonly checked: boolean;
}

export interface Answer {
  readonly goals: readonly string[];
  /** Best first, one for each resulting state. */
  readonly suggestions: readonly Suggestion[];
  /** Why the goal could not be opened in Lean; null if it could. */
  readonly unchecked: string | null;
  /** Number of proposals that were not checked in time. Those of models are among the suggestions, unchecked. */
  readonly unfinished: number;
  /** Engines without proposals, and why. */
  readonly failures: readonly { readonly source: string; readonly reason: string }[];
}

export type SuggestionEvent =
  | { readonly kind: 'goals'; readonly goals: readonly string[]; readonly unchecked: string | null }
  | { readonly kind: 'suggestion'; readonly suggestion: Suggestion }
  | { readonly kind: 'search'; readonly expansions: number }
  | { readonly kind: 'failure'; readonly source: string; readonly reason: string };

/**
 * Orders suggestions: first those that close the goal, then by fewer goals, by score, and by length; those that Lean
 * refuses come last.
 */
export function bySuggestionRank(left: Suggestion, right: Suggestion): number {
  return (
    SUGGESTION_CLASSES.indexOf(left.class) - SUGGESTION_CLASSES.indexOf(right.class) ||
    Number(right.checked) - Number(left.checked) ||
    left.goals.length - right.goals.length ||
    compareScores(left.score, right.score) ||
    left.text.length - right.text.length ||
    (left.text < right.text ? -1 : 1)
  );
}

function compareScores(left: number | null, right: number | null): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? 1 : -1;
  return right - left;
}
