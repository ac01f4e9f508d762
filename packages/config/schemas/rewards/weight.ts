import { z } from 'zod';

/** Weight of a source of rewards in the sum. */
export const rewardWeight = z.number().min(-100).max(100).default(1);
