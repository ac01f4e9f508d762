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

/** The part of an action that opens the marks of the run's library. */
export const MARKED = 'marks:open';

/** Prices without a beginning, ms, by the end and by the kind of names in its brackets. */
const ENDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  rfl: { nothing: 4 },
  decide: { nothing: 1.2 },
  omega: { nothing: 1.5 },
  simp: { nothing: 1.6, function: 16, functions: 15, premises: 11 },
  simp_all: { nothing: 5, functions: 14, premises: 22, both: 32 },
  grind: { nothing: 8, functions: 16, predicates: 40, premises: 20 },
  arithmetic: { functions: 13 },
  split: { functions: 20 },
  ext: { nothing: 2 },
  'ext grind': { nothing: 11 },
  unfold: { function: 10 },
  rule: { premise: 30 },
  simpa: { premise: 3 },
  apply: { premise: 2.6 },
  rw: { premise: 1.5 },
  'rw←': { premise: 1.3 },
  transfer: { premises: 10 },
  'transfer rule': { premises: 8 },
  chain: { premises: 75 },
  'simp chain': { premises: 62 },
};
/** Price of an end that the table lacks. */
const OTHER_MS = 10;

const BEGINS: Readonly<Record<string, number>> = {
  nothing: 1,
  constructor: 0.9,
  'rare constructor': 0.15,
  'cases of a negation': 0.3,
  'cases of each direction': 0.4,
  cases: 1.35,
  'cases of a hypothesis': 0.85,
  'induction on a hypothesis': 1.2,
  induction: 1.9,
  'functional induction': 2.6,
  'induction generalizing': 2.2,
  'two cases': 2,
  'induction and cases': 3.6,
};
const OTHER_TIMES = 2;
/** How many times longer an action takes that opens the marks of the run's library. */
const MARKS_TIMES = 1.65;

/**
 * Returns Lean's expected processor time, ms.
 * @param parts parts of an action (`Action`)
 */
export function actionPrice(parts: readonly string[]): number {
  const [begins = '', ends = '', names = ''] = parts.slice(0, 3).map((part) => part.slice(part.indexOf(':') + 1));
  const times = parts.includes(MARKED) ? MARKS_TIMES : 1;
  return (ENDS[ends]?.[names] ?? OTHER_MS) * (BEGINS[begins] ?? OTHER_TIMES) * times;
}
