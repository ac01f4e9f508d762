/** Cuts the work of a round into shards: the work of one sampling and one verification activity. */

import { statementSchema } from '@stp/config/records';
import { z } from 'zod';

/** One statement to attempt, as it stands in a shard file. */
export const workItemSchema = z.strictObject({
  statement: statementSchema,
  origin: z.enum(['dataset', 'conjecture', 'canary']),
  /** Samples of the statement in this round. */
  samples: z.number().int().positive(),
});
export type WorkItem = z.infer<typeof workItemSchema>;
