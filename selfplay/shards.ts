/** Cuts the work of a round into shards: the work of one sampling and one verification activity. */
import { z } from 'zod';
import { statementSchema } from '../data/schemas/records.ts';

/** One statement to attempt, as it stands in a shard file. */
export const workItemSchema = z.strictObject({
  statement: statementSchema,
  origin: z.enum(['dataset', 'conjecture', 'canary']),
  /** Samples of the statement in this round, at most. */
  samples: z.number().int().positive(),
  /** Successes after which no more are drawn (`adaptive.ts`); without it all are drawn at once. */
  enough: z.number().int().positive().optional(),
  /** Successes of the waves before this one; without it there were none. */
  successes: z.number().int().nonnegative().optional(),
});
export type WorkItem = z.infer<typeof workItemSchema>;
