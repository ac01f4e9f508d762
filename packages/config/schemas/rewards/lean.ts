/** The reward `lean`: 1 for a certified proof, otherwise 0. */
import { z } from 'zod';
import { rewardWeight } from './weight.ts';

export const leanRewardSchema = z.strictObject({ weight: rewardWeight });
