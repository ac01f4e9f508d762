/**
 * The reward port: takes the samples of a shard and returns for each a number, or why there is none. Implemented by
 * Lean's verdicts (`lean-reward.ts`), by several sources together (`mixed-reward.ts`), and by judges.
 */
import type { JudgeSpent, Sample, SampleReward, Statement, Verdict } from '@stp/config/records';

export interface JudgedSample {
  readonly sample: Sample;
  /** Null if nothing was verified: only the text is judged. */
  readonly verdict: Verdict | null;
}

/** All distinct samples of one statement in a shard; they are compared with each other. */
export interface RewardGroup {
  readonly statement: Statement;
  readonly samples: readonly JudgedSample[];
}

export interface RewardOptions {
  readonly signal: AbortSignal;
  /** Names the random choices of the source: the same names give the same choices. */
  readonly stream: readonly (string | number)[];
  /** Reports the cost of judges; called at most once, before the rewards are returned. */
  readonly onSpent?: (spent: JudgeSpent) => void;
  /** Must be called at least every few seconds while there is progress. */
  readonly onProgress: (samplesDone: number) => void;
}

export interface RewardSource {
  readonly name: string;
  /**
   * Returns one reward for each sample of each group, in order. A failure for one sample gives that sample a `missing`
   * reward. Throws only errors that require a retry of the whole shard or that no retry can repair.
   */
  rewards(groups: readonly RewardGroup[], options: RewardOptions): Promise<readonly SampleReward[]>;
}
