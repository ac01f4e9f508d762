/** What scripts tried on statements (`prover.actions`), the failures too: what a ranker learns from, and what is not tried again. */
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import { ActionRanker } from '@stp/selfplay';
import { z } from 'zod';
import { readAll, readRecords } from '../../records/record-files.ts';

const text = z.string().max(512);

export const triedStatementSchema = z.strictObject({
  statementId: z.string().max(128),
  /** As a ranker sees the statement. */
  tokens: z.array(text).max(1_024),
  tries: z.array(
    z.strictObject({
      /** Hash of the action's text. */
      key: z.string().max(32),
      /** Namespace of the marks that it had open; null: none. */
      marks: text.nullable(),
      /** As a ranker sees the action. */
      parts: z.array(text).max(64),
      /** Prices of the actions that stand before it in the fixed order, ms. */
      before: z.number().nonnegative(),
      proved: z.boolean(),
      /** Lean's time. */
      ms: z.number().nonnegative(),
    }),
  ),
});
export type TriedStatement = z.infer<typeof triedStatementSchema>;

/** What the run's tries say before a round. */
export const rankingSchema = z.strictObject({
  /** Of a ranker that learned from the tries; null: the actions stand in their fixed order. */
  weights: artifactRefSchema.nullable(),
  /** All tries, oldest first. */
  tries: z.array(artifactRefSchema),
});

/** An action that was tried on a statement. */
export interface EarlierTry {
  readonly parts: readonly string[];
  /** Each time under other marks. */
  readonly marks: ReadonlySet<string | null>;
}

/** By the statement's id and the action's key. */
export type EarlierTries = ReadonlyMap<string, ReadonlyMap<string, EarlierTry>>;

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
  const earlier = new Map<string, Map<string, EarlierTry & { readonly marks: Set<string | null> }>>();
  const [ranking] = ref === null ? [] : await readAll(store, ref, rankingSchema);
  for (const part of ranking?.tries ?? [])
    for await (const { statementId, tries } of readRecords(store, part, triedStatementSchema)) {
      if (!ids.has(statementId)) continue;
      const own = earlier.get(statementId) ?? new Map();
      earlier.set(statementId, own);
      for (const { key, marks, parts } of tries) {
        const one = own.get(key) ?? { parts, marks: new Set() };
        own.set(key, one);
        one.marks.add(marks);
      }
    }
  const weights = ranking?.weights ?? null;
  return { ranker: weights === null ? null : ActionRanker.of(await store.get(weights)), earlier };
}
