/**
 * Labels the tactics that a search ran in a state. Right tactics lie on a path to the end of the proof. Wrong ones were
 * refused by Lean, lead back to a state on the path, or lead to states where every continuation was tried in vain.
 * Other tactics stay unlabelled.
 */
import type { ExpansionRecord } from '@stp/config/records';
import type { Tried } from './pairs.ts';

export interface TriedState {
  readonly expansion: ExpansionRecord;
  readonly tries: readonly Tried[];
}

/** @param expansions of one statement's search */
export function searchTries(expansions: readonly ExpansionRecord[]): TriedState[] {
  const byState = new Map(expansions.map((expansion) => [expansion.state, expansion]));
  const proving = provingStates(expansions);
  const isHopeless = hopelessStates(byState, proving);
  const isRight = ({ outcome, next }: ExpansionRecord['steps'][number]): boolean | null => {
    if (outcome === 'done') return true;
    if (outcome !== 'open') return outcome === 'infra' ? null : false;
    if (proving.has(next!)) return true;
    return isHopeless(next!) ? false : null;
  };
  return expansions.map((expansion) => ({
    expansion,
    tries: expansion.steps.flatMap((step): Tried[] => {
      const right = step.next === expansion.state ? false : isRight(step);
      return right === null ? [] : [{ target: step.tactic, isRight: right, leadsTo: step.next }];
    }),
  }));
}

/** Returns the states from which the search knows a path to the end. */
function provingStates(expansions: readonly ExpansionRecord[]): Set<string> {
  const proving = new Set<string>();
  for (let before = -1; before < proving.size; ) {
    before = proving.size;
    for (const { state, steps } of expansions)
      if (steps.some(({ outcome, next }) => outcome === 'done' || (next !== null && proving.has(next))))
        proving.add(state);
  }
  return proving;
}

/** Returns a test for states from which every continuation was tried and failed. */
function hopelessStates(
  byState: ReadonlyMap<string, ExpansionRecord>,
  proving: ReadonlySet<string>,
): (state: string) => boolean {
  return (first) => {
    const seen = new Set<string>();
    const open = [first];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen.has(state)) continue;
      seen.add(state);
      const expansion = byState.get(state);
      if (expansion === undefined || proving.has(state)) return false;
      for (const { next } of expansion.steps) if (next !== null) open.push(next);
    }
    return true;
  };
}
