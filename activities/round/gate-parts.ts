/** The parts in which nodes gate conjectures: what goes into them, and what comes out. */

import { artifactRefSchema, gateCountsSchema, rankerFiguresSchema } from '@stp/config/records';
import { z } from 'zod';

/** Cost of a question: the number of statements, wall time, and the time that Lean spent on proofs, ms. */
const costSchema = z.strictObject({
  question: z.string(),
  asked: z.number().int(),
  ms: z.number().nonnegative(),
  leanMs: z.number().nonnegative(),
});

export const gatedPartSchema = z.strictObject({
  /** `ConjectureRecord`s that no rule refuses, in order. */
  standing: artifactRefSchema,
  /** The others. */
  counts: gateCountsSchema,
  costs: z.array(costSchema),
});
export type GatedPart = z.infer<typeof gatedPartSchema>;

export const readConjecturesSchema = z.strictObject({
  /** Files of `ConjectureRecord`s, in order. */
  parts: z.array(artifactRefSchema),
  /** Texts that there were. */
  made: z.number().int(),
  /** Conjectures that the round may attempt. */
  places: z.number().int(),
  /** Texts that are in no part, by what was wrong with them. */
  counts: gateCountsSchema,
  /** Examples that the ranker learned from, and those of them that paid; missing where the run has none. */
  ranker: rankerFiguresSchema.optional(),
});
export type ReadConjectures = z.infer<typeof readConjecturesSchema>;
