/**
 * Converts judgements of one problem's proofs to rewards. A proof without a judgement gets null, never 0. Proofs with
 * equal judgements get equal rewards, so the order of samples does not matter.
 */
import type { RewardMode } from '@stp/config/records';
import { sharedByTies } from './ranking.ts';

/** Smaller differences of averaged points are rounding errors. */
const EQUAL = 1e-9;

/** Returns whether the mode compares proofs instead of marking each. */
export const ranks = (mode: RewardMode): boolean => mode !== 'judge_score';

/**
 * @param values each proof's mean points; with `judge_score` its mark as a share of the maximum
 */
export function rewardsOf(mode: RewardMode, values: readonly (number | null)[]): (number | null)[] {
  if (mode === 'squared') return values.map((value) => (value === null ? null : value ** 2));
  if (mode !== 'harmonic_rank') return [...values];
  const judged = values.filter((value) => value !== null);
  const byPlace = sharedByTies(
    judged,
    (a, b) => (Math.abs(a - b) < EQUAL ? 0 : b - a),
    (place) => 1 / (place + 1),
  );
  let next = 0;
  return values.map((value) => (value === null ? null : byPlace[next++]!));
}
