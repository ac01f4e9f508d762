/**
 * Makes rewards from judgements of the proofs of one problem. A proof without a judgement has no reward: null, never 0.
 * Equally judged proofs get equal rewards, so the order of samples does not matter.
 */
import type { RewardMode } from '@stp/config/records';
import { sharedByTies } from './ranking.ts';

/** Smaller differences of averaged points are rounding errors. */
const EQUAL = 1e-9;

/** Does the mode compare proofs, or mark each? */
export const ranks = (mode: RewardMode): boolean => mode !== 'judge_score';

/** @param values mean points of each proof, or with `judge_score` its normalised mark */
export function rewardsOf(mode: RewardMode, values: readonly (number | null)[]): (number | null)[] {
  if (mode === 'squared') return values.map((value) => (value === null ? null : value ** 2));
  if (mode !== 'harmonic_rank') return [...values];
  const judged = values.filter((value) => value !== null);
  const byRank = sharedByTies(
    judged,
    (a, b) => (Math.abs(a - b) < EQUAL ? 0 : b - a),
    (rank) => 1 / (rank + 1),
  );
  let next = 0;
  return values.map((value) => (value === null ? null : byRank[next++]!));
}
