/** Tries of scripts on statements (`prover.actions`), the failures too. A ranker learns from them, and none is made again. */
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import { ActionRanker } from '@stp/selfplay';
import { z } from 'zod';
import { readAll, readRecords } from '../../records/record-files.ts';

export const triedStatementSchema = z.strictObject({
  statementId: z.string(),
  /** As a ranker sees the statement. */
  tokens: z.array(z.string()),
  tries: z.array(
    z.strictObject({
      /** Hash of the action's text. */
      key: z.string(),
      /** Namespace of the marks that it had open; null: none. */
      marks: z.string().nullable(),
      /** As a ranker sees the action. */
      parts: z.array(z.string()),
      /** Prices of the actions that stand before it in the fixed order, ms. */
      before: z.number().nonnegative(),
      proved: z.boolean(),
      /** Lean's time. */
      ms: z.number().nonnegative(),
    }),
  ),
});
export type TriedStatement = z.infer<typeof triedStatementSchema>;

/** A summary of the run's tries before a round. */
export const rankingSchema = z.strictObject({
  /** Weights of a ranker that learned from the tries; null: the actions stand in their fixed order. */
  weights: artifactRefSchema.nullable(),
  /** All tries, oldest first. */
  tries: z.array(artifactRefSchema),
});

/** By the statement's id and the action's key: under which marks it was tried. */
type EarlierTries = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string | null>>>;

export interface Ranking {
  /** Null where there is none yet. */
  readonly ranker: ActionRanker | null;
  readonly earlier: EarlierTries;
}

/** @param ids statements whose tries are wanted */
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
