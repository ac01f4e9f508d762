/**
 * The reward `judge`: language models' marks of a proof (docs/judges.md). If it is the only source, problems and
 * proofs are in words.
 */
import { judgingSchema } from '../judge.ts';
import { rewardWeight } from './weight.ts';

export const judgeRewardSchema = judgingSchema.extend({ weight: rewardWeight });
