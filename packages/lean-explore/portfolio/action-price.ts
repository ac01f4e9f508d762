/**
 * What an action costs: a fixed table, means of Lean's processor time over the recording in `docs/log.md`. A price that is measured in
 * the run would make what a run tries depend on the machine and its load.
 */

/** Heartbeats of an action: those that prove anything take few, and one that does not must not cost a hundred others. */
export const ACTION_HEARTBEATS_MAX = 5_000;

/** After no beginning, ms, by what it ends with and what stands in its brackets. */
const ENDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  rfl: { nothing: 8 },
  decide: { nothing: 8 },
  omega: { nothing: 9 },
  simp: { nothing: 8, function: 11, functions: 11, premises: 44 },
  simp_all: { nothing: 9, functions: 15, premises: 46, both: 34 },
  grind: { nothing: 10, functions: 13, premises: 24 },
  arithmetic: { functions: 10 },
  split: { functions: 20 },
  ext: { nothing: 9 },
  'ext grind': { nothing: 11 },
  unfold: { function: 21 },
  simpa: { premise: 10 },
  apply: { premise: 7 },
  rw: { premise: 7 },
  'rw←': { premise: 8 },
};
/** An end that the table lacks. */
const OTHER_MS = 20;

/** How many times as much after a beginning. */
const BEGINS: Readonly<Record<string, number>> = {
  nothing: 1,
  constructor: 1.5,
  cases: 2,
  'cases of a hypothesis': 2.5,
  induction: 3,
  'functional induction': 3,
  'induction generalizing': 4,
  'two cases': 4,
  'induction and cases': 4.5,
};
const OTHER_TIMES = 4;

/** Expected processor time of Lean, ms. @param parts of an action (`Action`) */
export function actionPrice(parts: readonly string[]): number {
  const [begins = '', ends = '', names = ''] = parts.slice(0, 3).map((part) => part.slice(part.indexOf(':') + 1));
  return (ENDS[ends]?.[names] ?? OTHER_MS) * (BEGINS[begins] ?? OTHER_TIMES);
}
