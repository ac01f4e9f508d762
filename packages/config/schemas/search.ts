/**
 * Records of a search for a proof: every expanded state with the tactics that were run there, and the search's figures.
 */
import { z } from 'zod';
import { artifactRefSchema } from './artifact.ts';
import { goalSchema } from './goal.ts';
import { verdictKindSchema } from './records.ts';

const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative();
/** Content hash of the goals as Lean prints them. States with equal goals are one state. */
const stateId = z.string().min(1).max(128);
/** Maximum length of `goals` in a record, UTF-16 units; longer text is cut. The hash is that of the whole text. */
export const GOALS_CHARS_MAX = 16_384;

export const expansionSchema = z.strictObject({
  statementId: z.string(),
  /** From 0, in the order of expansion. */
  index: count,
  state: stateId,
  goals: z.string().max(GOALS_CHARS_MAX),
  /** The first goal. */
  goal: goalSchema,
  /**
   * Number of tactics on the best path to the state, their natural log-probability, and the score for which the state
   * was chosen.
   */
  length: count,
  logprob: z.number(),
  score: z.number(),
  steps: z.array(
    z.strictObject({
      tactic: z.string(),
      logprob: z.number(),
      /** Tokens of the tactic, its end included. */
      tokens: count.positive(),
      /** Number of samples with this tactic. */
      count,
      /** The learned verifiers' weighted score, if they were asked. */
      bonus: z.number().optional(),
      /**
       * `open`: goals are left; `done`: no goal is left; otherwise the reason why there is no state after the tactic.
       */
      outcome: z.union([z.enum(['open', 'done']), verdictKindSchema.exclude(['proved'])]),
      /** The state after the tactic, if goals are left. */
      next: stateId.nullable(),
      leanMs: milliseconds,
    }),
  ),
});
export type ExpansionRecord = z.infer<typeof expansionSchema>;

/** Figures of one search, or of several together. */
export const searchFiguresSchema = z.strictObject({
  searches: count,
  /** Searches that closed all goals. Verification decides later whether the proofs count. */
  found: count,
  expansions: count,
  /** Tactics that Lean ran. */
  steps: count,
  /** Different states reached, the roots included. */
  states: count,
  leanMs: milliseconds,
  /** Time in which the model sampled for these searches, and wall time of their shards. */
  modelMs: milliseconds,
  wallMs: milliseconds,
});
export type SearchFigures = z.infer<typeof searchFiguresSchema>;

/** Results of a shard's searches apart from their samples. */
export const shardSearchSchema = z.strictObject({
  expansions: artifactRefSchema,
  figures: searchFiguresSchema,
});

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
