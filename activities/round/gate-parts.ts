/** Input and results of the parts in which nodes gate conjectures. */

import { artifactRefSchema, gateCountsSchema, rankerFiguresSchema } from '@stp/config/records';
import { z } from 'zod';

/** Cost of a question: the number of statements, the wall time, and Lean's time for proofs, both in ms. */
const costSchema = z.strictObject({
  question: z.string(),
  asked: z.number().int(),
  ms: z.number().nonnegative(),
  leanMs: z.number().nonnegative(),
});

export const gatedPartSchema = z.strictObject({
  /** Reference of the `ConjectureRecord`s that no rule refuses, in order. */
  standing: artifactRefSchema,
  /** Counts of refused conjectures. */
  counts: gateCountsSchema,
  costs: z.array(costSchema),
});
export type GatedPart = z.infer<typeof gatedPartSchema>;

export const readConjecturesSchema = z.strictObject({
  /** Files of `ConjectureRecord`s, in order. */
  parts: z.array(artifactRefSchema),
  /** Number of texts read. */
  made: z.number().int(),
  /** Conjectures that the round may attempt. */
  attemptsMax: z.number().int(),
  /** Counts of the texts that are in no part, by reason. */
  counts: gateCountsSchema,
  /** Number of examples that the ranker learned from, and of those that paid; missing if the run has no ranker. */
  ranker: rankerFiguresSchema.optional(),
});
export type ReadConjectures = z.infer<typeof readConjecturesSchema>;
