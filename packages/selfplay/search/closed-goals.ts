/**
 * Goals that a search closed on its way, also one that found no proof: the first goal of an expanded state is closed by a path of tactics
 * behind which the other goals of that state, and no more, are left.
 */
import { contentId } from '@stp/config/ids';
import { type ExpansionRecord, GOALS_CHARS_MAX, type ProofStep, type ShownGoal } from '@stp/config/records';

/** Between the goals of a state, as Lean prints them. */
export const GOALS_BREAK = '\n\n';

/** Content hash of a state by its goals' texts. */
export const stateKey = (goals: string): string => contentId('state', goals);

export interface ClosedGoal {
  readonly goal: ShownGoal;
  /** The shortest way found, at least one step. */
  readonly steps: readonly ProofStep[];
}

/**
 * The first state's goal is left out: it is the statement. Goals with equal texts stand once.
 *
 * @param expansions of one search, in order
 */
export function closedGoals(expansions: readonly ExpansionRecord[]): ClosedGoal[] {
  const byState = new Map(expansions.map((expansion) => [expansion.state, expansion]));
  const found = new Map<string, ClosedGoal>();
  for (const { goals, goal } of expansions.slice(1)) {
    // A text that was cut does not say what is left behind its first goal.
    if (goals.length >= GOALS_CHARS_MAX) continue;
    const [first, ...rest] = goals.split(GOALS_BREAK);
    if (found.has(first!)) continue;
    const steps = shortestPath(byState, stateKey(goals), rest.length === 0 ? null : stateKey(rest.join(GOALS_BREAK)));
    if (steps !== null) found.set(first!, { goal, steps });
  }
  return [...found.values()];
}

/** Steps from one state to another, or to the end of all goals (`to` null); null if the search knows no way. */
function shortestPath(
  byState: ReadonlyMap<string, ExpansionRecord>,
  from: string,
  to: string | null,
): ProofStep[] | null {
  const reached = new Map<string, ProofStep[]>([[from, []]]);
  // A map is read in the order in which it grows.
  for (const [state, before] of reached)
    for (const { tactic, outcome, next } of byState.get(state)?.steps ?? []) {
      if (outcome !== 'open' && outcome !== 'done') continue;
      const steps = [...before, { goal: byState.get(state)!.goal, tactic }];
      if (next === to) return steps;
      if (next !== null && !reached.has(next)) reached.set(next, steps);
    }
  return null;
}
