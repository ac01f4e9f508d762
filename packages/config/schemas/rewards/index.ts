/**
 * All reward sources (`packages/selfplay/rewards/reward.ts`). A sample's reward is the weighted sum of those that are
 * not null.
 */
import { z } from 'zod';
import { judgeRewardSchema } from './judge.ts';
import { leanRewardSchema } from './lean.ts';

export const rewardsSchema = z
  .strictObject({ lean: leanRewardSchema.nullable().default(null), judge: judgeRewardSchema.nullable().default(null) })
  .refine((rewards) => Object.values(rewards).some((reward) => reward !== null), 'name a source at least')
  .prefault({ lean: {} });
export type RewardsConfig = z.infer<typeof rewardsSchema>;
export type RewardName = keyof RewardsConfig;
