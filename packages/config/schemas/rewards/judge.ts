/** The reward `judge`: what language models make of a proof (docs/judges.md). Alone, problems and proofs are in words. */
import { judgingSchema } from '../judge.ts';
import { rewardWeight } from './weight.ts';

export const judgeRewardSchema = judgingSchema.extend({ weight: rewardWeight });
