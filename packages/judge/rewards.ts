/**
 * Makes rewards from judgements of the proofs of one problem. A proof without a judgement has none: null, never 0. Proofs that
 * are judged alike are rewarded alike, so that the order of samples earns nothing.
 */
import type { RewardMode } from '@stp/config/records';
import { sharedByTies } from './ranking.ts';

/** Differences of averaged points that are noise of the arithmetic. */
const EQUAL = 1e-9;

/** Does the mode compare proofs, or mark each? */
export const ranks = (mode: RewardMode): boolean => mode !== 'judge_score';

/**
 * @param values of each proof its mean points, or with `judge_score` its normalised mark
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
