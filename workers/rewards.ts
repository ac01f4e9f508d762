/** Maps the name of a reward (`objective.rewards`) to its source. */
import type { RewardName, RewardsConfig } from '@stp/config';
import { leanReward, type RewardSource } from '@stp/selfplay';
import type { JudgeRewards } from './judge-rewards.ts';

type Opened = (run: string, rewards: RewardsConfig) => RewardSource;

export const rewardSources = (judges: JudgeRewards): Readonly<Record<RewardName, Opened>> => ({
  lean: () => leanReward,
  judge: (run, { judge }) => judges.source(run, judge!),
});
