/**
 * The advantage of a sample over the others of its statement (GRPO, arXiv 2402.03300, §4.1.2): its reward minus the
 * group's mean, divided by the group's standard deviation, or undivided (Dr. GRPO, arXiv 2503.20783).
 */
import type { ObjectiveOf } from '@stp/config';

/** Added to the standard deviation, as in veRL. */
const EPSILON = 1e-6;

export interface Rewarded {
  readonly value: number;
  /** Number of times that it was drawn. */
  readonly multiplicity: number;
}

/** Returns one number for each sample, in order; null if the group has no signal: a single draw, or equal rewards. */
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
