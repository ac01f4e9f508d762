/**
 * Tries of scripts on statements (`prover.actions`), failures included. A ranker learns from them, and no try is
 * repeated.
 */
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import { ActionRanker } from '@stp/selfplay';
import { z } from 'zod';
import { readAll, readRecords } from '../../records/record-files.ts';

export const triedStatementSchema = z.strictObject({
  statementId: z.string(),
  /** Features of the statement, for a ranker. */
  tokens: z.array(z.string()),
  tries: z.array(
    z.strictObject({
      /** Hash of the action's text. */
      key: z.string(),
      /** Namespace whose marks the action opened; null: none. */
      marks: z.string().nullable(),
      /** Features of the action, for a ranker. */
      parts: z.array(z.string()),
      /** Sum of the prices of the actions before it in the fixed order, ms. */
      before: z.number().nonnegative(),
      proved: z.boolean(),
      /** Lean's time, ms. */
      ms: z.number().nonnegative(),
    }),
  ),
});
export type TriedStatement = z.infer<typeof triedStatementSchema>;

/** A summary of the run's tries before a round. */
export const rankingSchema = z.strictObject({
  /** Weights of a ranker trained on the tries; null: the actions keep their fixed order. */
  weights: artifactRefSchema.nullable(),
  /** All tries, oldest first. */
  tries: z.array(artifactRefSchema),
});

/** The marks under which each action was tried, by statement id and action key. */
type EarlierTries = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string | null>>>;

export interface Ranking {
  /** Null before the first training. */
  readonly ranker: ActionRanker | null;
  readonly earlier: EarlierTries;
}

/** @param ids statements whose tries are read */
export async function readRanking(
  store: ObjectStore,
  ref: ArtifactRef | null,
  ids: ReadonlySet<string>,
): Promise<Ranking> {
  const earlier = new Map<string, Map<string, Set<string | null>>>();
  const [ranking] = ref === null ? [] : await readAll(store, ref, rankingSchema);
  for (const part of ranking?.tries ?? [])
    for await (const { statementId, tries } of readRecords(store, part, triedStatementSchema)) {
      if (!ids.has(statementId)) continue;
      const own = earlier.get(statementId) ?? new Map<string, Set<string | null>>();
      earlier.set(statementId, own);
      for (const { key, marks } of tries) own.set(key, (own.get(key) ?? new Set()).add(marks));
    }
  const weights = ranking?.weights ?? null;
  return { ranker: weights === null ? null : ActionRanker.of(await store.get(weights)), earlier };
}
