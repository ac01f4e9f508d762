/** Combines the scores of several learned verifiers into one number. */

export interface Combination {
  /** `mean`: the mean minus `caution` times the standard deviation over the members. `minimum`: the smallest score. */
  readonly by: 'mean' | 'minimum';
  readonly caution: number;
}

/** @param rewards scores of one candidate, one for each member; at least one */
export function combined(rewards: readonly number[], { by, caution }: Combination): number {
  if (by === 'minimum') return Math.min(...rewards);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length;
  return mean - caution * Math.sqrt(variance);
}
