/** The types of a request for suggestions and of its answer, and the order of an answer. */

/** `done`: no goal is left. `valid`: goals are left. `forbidden`: no proof may say this. */
export const SUGGESTION_CLASSES = ['done', 'valid', 'invalid', 'forbidden'] as const;
export type SuggestionClass = (typeof SUGGESTION_CLASSES)[number];

export interface SuggestionRequest {
  /** Goals as Lean prints them; null where Lean is to be asked for the goals below `context`. */
  readonly tacticState: string | null;
  /** Every suggestion begins with it. */
  readonly prefix: string;
  /** The file up to the place where the tactic begins; empty where the goal is all that is known. */
  readonly context: string;
  /** Time for a search for a whole proof beside single tactics; 0: none. */
  readonly searchSeconds: number;
  /** Wall time for checks of one engine's proposals; null takes the suggester's. */
  readonly answerSeconds: number | null;
  /** Wait for every engine, also when something has closed the goal. */
  readonly all: boolean;
}

export interface Suggestion {
  readonly text: string;
  readonly class: SuggestionClass;
  /** Goals after it. */
  readonly goals: readonly string[];
  /** Mean log-probability of its tokens; null from engines without one. */
  readonly score: number | null;
  /** The engine that wrote it first. */
  readonly source: string;
  /** Time of Lean, ms. */
  readonly ms: number;
  /** Why it is invalid or forbidden; null for the others. */
  readonly reason: string | null;
  /** False where Lean could not be asked, so that the class says nothing. */
  readonly checked: boolean;
}

export interface Answer {
  readonly goals: readonly string[];
  /** The best first; those of one resulting state once. */
  readonly suggestions: readonly Suggestion[];
  /** Why the goal could not be opened in Lean; null where it was. */
  readonly unchecked: string | null;
  /** Proposals that time did not suffice for. Those of models are among the suggestions, unchecked. */
  readonly unfinished: number;
  /** Engines that gave nothing, and why. */
  readonly failures: readonly { readonly source: string; readonly reason: string }[];
}

/** Events while an answer is made. */
export type SuggestionEvent =
  | { readonly kind: 'goals'; readonly goals: readonly string[]; readonly unchecked: string | null }
  | { readonly kind: 'suggestion'; readonly suggestion: Suggestion }
  | { readonly kind: 'search'; readonly expansions: number }
  | { readonly kind: 'failure'; readonly source: string; readonly reason: string };

/** Closes the goal, then fewer goals, then score, then shorter; what Lean refuses behind the others. */
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
