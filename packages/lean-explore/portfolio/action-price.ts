/**
 * The price of an action: a fixed table of Lean's processor time for a try that shares a text with others, including
 * its share of separate checks (`docs/log.md`). Prices measured during a run would make its choices depend on the
 * machine and its load.
 */

/**
 * Maximum heartbeats of a text, whether it has one action or several, which share them: several times what they need
 * together. Successful actions need few. One limit for all texts lets them share a start of Lean.
 */
export const TRY_HEARTBEATS_MAX = 5_000;
/**
 * Factor of processor time between such a text and other proofs. Heartbeats alone should end a text: Lean then names the
 * script at which they ended, while a text that is stopped for its time is read again. Work that heartbeats hardly
 * count, such as the kernel's, may take this much longer.
 */
export const TRY_TIME_FACTOR = 4;

/** Prices without a beginning, ms, by the end and by the kind of names in its brackets. */
const ENDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  rfl: { nothing: 4 },
  decide: { nothing: 1 },
  omega: { nothing: 1 },
  simp: { nothing: 1, function: 10, functions: 11, premises: 5 },
  simp_all: { nothing: 3, functions: 9.5, premises: 16, both: 14 },
  grind: { nothing: 4, functions: 15, premises: 17 },
  arithmetic: { functions: 10 },
  split: { functions: 21 },
  ext: { nothing: 1 },
  'ext grind': { nothing: 9 },
  unfold: { function: 9 },
  simpa: { premise: 4 },
  apply: { premise: 3 },
  rw: { premise: 1.5 },
  'rw←': { premise: 1.5 },
  chain: { premises: 50 },
  'simp chain': { premises: 16 },
};
/** Price of an end that the table lacks. */
const OTHER_MS = 10;

const BEGINS: Readonly<Record<string, number>> = {
  nothing: 1,
  constructor: 1.3,
  'rare constructor': 0.3,
  'cases of a negation': 0.3,
  cases: 1.6,
  'cases of a hypothesis': 1,
  'induction on a hypothesis': 1.5,
  induction: 2,
  'functional induction': 2.6,
  'induction generalizing': 2.2,
  'two cases': 2.8,
  'induction and cases': 3.6,
};
const OTHER_TIMES = 2;

/**
 * Returns Lean's expected processor time, ms.
 * @param parts parts of an action (`Action`)
 */
export function actionPrice(parts: readonly string[]): number {
  const [begins = '', ends = '', names = ''] = parts.slice(0, 3).map((part) => part.slice(part.indexOf(':') + 1));
  return (ENDS[ends]?.[names] ?? OTHER_MS) * (BEGINS[begins] ?? OTHER_TIMES);
}
