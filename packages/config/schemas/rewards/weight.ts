import { z } from 'zod';

/** Weight of a reward source in the sum. */
export const rewardWeight = z.number().min(-100).max(100).default(1);
