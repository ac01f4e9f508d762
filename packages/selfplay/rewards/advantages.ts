/**
 * How much better a sample did than the others of its statement (GRPO, arXiv 2402.03300, §4.1.2): its reward less the group's mean, over
 * the group's standard deviation, or without that division (Dr. GRPO, arXiv 2503.20783).
 */
import type { ObjectiveOf } from '@stp/config';

/** Added to the standard deviation, as in veRL. */
const EPSILON = 1e-6;

export interface Rewarded {
  readonly value: number;
  /** How often it was drawn. */
  readonly multiplicity: number;
}

/**
 * One number a sample, in order; null where the group says nothing: a single draw has nobody to compare with, and of equal rewards
 * none is better.
 */
export function advantages(
  group: readonly Rewarded[],
  { advantage }: Pick<ObjectiveOf<'grpo'>, 'advantage'>,
): number[] | null {
  const draws = group.reduce((sum, { multiplicity }) => sum + multiplicity, 0);
  if (draws < 2 || group.every(({ value }) => value === group[0]!.value)) return null;
  const mean = group.reduce((sum, { value, multiplicity }) => sum + multiplicity * value, 0) / draws;
  const squares = group.reduce((sum, { value, multiplicity }) => sum + multiplicity * (value - mean) ** 2, 0);
  const scale = advantage === 'deviation' ? Math.sqrt(squares / (draws - 1)) + EPSILON : 1;
  return group.map(({ value }) => (value - mean) / scale);
}
