/**
 * What an action costs: a fixed table, means of Lean's processor time over the recording in `docs/log.md`. A price that is measured in
 * the run would make what a run tries depend on the machine and its load.
 */

/** Heartbeats of an action: those that prove anything take few, and one that does not must not cost a hundred others. */
export const ACTION_HEARTBEATS_MAX = 2_000;
/** Heartbeats of a text with several scripts, which share them: several times what they need together. */
export const SHARED_HEARTBEATS_MAX = 5_000;

/** After no beginning, ms, by what it ends with and what stands in its brackets. */
const ENDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  rfl: { nothing: 7 },
  decide: { nothing: 7 },
  omega: { nothing: 6 },
  simp: { nothing: 7, function: 8, functions: 18, premises: 26 },
  simp_all: { nothing: 7, functions: 10, premises: 35, both: 34 },
  grind: { nothing: 12, functions: 15, premises: 28 },
  arithmetic: { functions: 13 },
  split: { functions: 17 },
  ext: { nothing: 8 },
  'ext grind': { nothing: 19 },
  unfold: { function: 14 },
  simpa: { premise: 11 },
  apply: { premise: 8 },
  rw: { premise: 8 },
  'rw←': { premise: 8 },
};
/** An end that the table lacks. */
const OTHER_MS = 20;

/** How many times as much after a beginning. */
const BEGINS: Readonly<Record<string, number>> = {
  nothing: 1,
  constructor: 1.3,
  cases: 1.6,
  'cases of a hypothesis': 1,
  induction: 2,
  'functional induction': 2,
  'induction generalizing': 2.4,
  'two cases': 2.5,
  'induction and cases': 3.3,
};
const OTHER_TIMES = 2;

/** Expected processor time of Lean, ms. @param parts of an action (`Action`) */
export function actionPrice(parts: readonly string[]): number {
  const [begins = '', ends = '', names = ''] = parts.slice(0, 3).map((part) => part.slice(part.indexOf(':') + 1));
  return (ENDS[ends]?.[names] ?? OTHER_MS) * (BEGINS[begins] ?? OTHER_TIMES);
}
