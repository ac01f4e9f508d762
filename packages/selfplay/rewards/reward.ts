/**
 * The reward port: samples of a shard in, for each a number or the reason why there is none. Implemented by Lean's verdicts
 * (`lean-reward.ts`), by several sources together (`mixed-reward.ts`), and by whatever else judges.
 */
import type { JudgeSpent, Sample, SampleReward, Statement, Verdict } from '@stp/config/records';

export interface JudgedSample {
  readonly sample: Sample;
  /** Null where nothing was verified: the texts alone are judged. */
  readonly verdict: Verdict | null;
}

/** All distinct samples of one statement in a shard: what is compared with each other. */
export interface RewardGroup {
  readonly statement: Statement;
  readonly samples: readonly JudgedSample[];
}

export interface RewardOptions {
  readonly signal: AbortSignal;
  /** Names the random choices of the source: the same names give the same choices. */
  readonly stream: readonly (string | number)[];
  /** Reports what asking judges cost; called at most once, before the rewards are there. */
  readonly onSpent?: (spent: JudgeSpent) => void;
  /** Call it at least every few seconds while there is progress. */
  readonly onProgress: (samplesDone: number) => void;
}

export interface RewardSource {
  readonly name: string;
  /**
   * One reward for each sample of each group, in their order. What fails for one sample is a `missing` of that sample. It throws
   * only what makes the whole shard be tried again, or what no repetition mends.
   */
  rewards(groups: readonly RewardGroup[], options: RewardOptions): Promise<readonly SampleReward[]>;
}
