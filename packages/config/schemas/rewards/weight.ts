import { z } from 'zod';

/** How much a source of rewards counts in the sum. */
export const rewardWeight = z.number().min(-100).max(100).default(1);
