/** What a search for a proof leaves behind: every state that it expanded with every tactic it ran there, and its figures. */
import { z } from 'zod';
import { artifactRefSchema } from './artifact.ts';
import { goalSchema } from './goal.ts';
import { verdictKindSchema } from './records.ts';

const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative();
/** Content hash of the goals as Lean prints them: states of equal goals are one state. */
const stateId = z.string().min(1).max(128);
/** Goals of a record are cut here; the hash is that of the whole. */
export const GOALS_CHARS_MAX = 16_384;

export const expansionSchema = z.strictObject({
  statementId: z.string(),
  /** From 0, in the order of the search. */
  index: count,
  state: stateId,
  goals: z.string().max(GOALS_CHARS_MAX),
  /** The first of them, as data. */
  goal: goalSchema,
  /** Tactics of the best way to the state, their log-probability (natural) and the score that the state was chosen by. */
  length: count,
  logprob: z.number(),
  score: z.number(),
  steps: z.array(
    z.strictObject({
      tactic: z.string(),
      logprob: z.number(),
      /** Samples that said it. */
      count,
      /** `open`: goals are left; `done`: none is; else why there is no state after it. */
      outcome: z.union([z.enum(['open', 'done']), verdictKindSchema.exclude(['proved'])]),
      /** The state after it, where goals are left. */
      next: stateId.nullable(),
      leanMs: milliseconds,
    }),
  ),
});
export type ExpansionRecord = z.infer<typeof expansionSchema>;

/** Of one search, or of several together. */
export const searchFiguresSchema = z.strictObject({
  searches: count,
  /** That ended with all goals closed; whether the proof counts is for verification to say. */
  found: count,
  expansions: count,
  /** Tactics that Lean ran. */
  steps: count,
  /** Different states met. */
  states: count,
  leanMs: milliseconds,
  /** Time in which the model sampled for these searches, and wall time of the shards. */
  modelMs: milliseconds,
  wallMs: milliseconds,
});
export type SearchFigures = z.infer<typeof searchFiguresSchema>;

/** What a shard's searches leave beside their samples. */
export const shardSearchSchema = z.strictObject({ expansions: artifactRefSchema, figures: searchFiguresSchema });

export const NO_SEARCH: SearchFigures = {
  searches: 0,
  found: 0,
  expansions: 0,
  steps: 0,
  states: 0,
  leanMs: 0,
  modelMs: 0,
  wallMs: 0,
};

export function sumSearches(all: Iterable<SearchFigures>): SearchFigures {
  const total = { ...NO_SEARCH };
  for (const one of all) for (const key of Object.keys(total) as (keyof SearchFigures)[]) total[key] += one[key];
  return total;
}
