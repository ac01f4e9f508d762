/** Trains the ranker of actions before a round, on the tries of all earlier rounds. */
import { learnsOrder, type RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type ObjectStore, type RoundManifest } from '@stp/config/records';
import { ActionRanker, type Try } from '@stp/selfplay';
import type { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { RunStore } from '../../ports.ts';
import { once, readRecords, writeRecords } from '../../records/record-files.ts';
import { readManifests } from '../../run/history.ts';
import type { PreparedData } from '../../run/prepared-data.ts';
import { featuresOn } from './order.ts';
import { type rankingSchema, type TriedStatement, triedStatementSchema } from './tries.ts';

/** Limit on the tries that a ranker learns from, the latest ones; each takes some 400 bytes of memory. */
const TRIES_MAX = 200_000;

export interface RankActionsInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  /** Manifests of the rounds before, oldest first. */
  readonly history: readonly ArtifactRef[];
  readonly config: Pick<RunConfig, 'prover' | 'seed'>;
  readonly data: Pick<PreparedData, 'ranker'>;
}

export function rankActionsActivity(ports: RunStore) {
  return {
    /**
     * Returns the ranking (`rankingSchema`), an object of one record. It is made once: the same tries give the same
     * weights, bit for bit. Until a try has proved something, the weights are those of the ranker that the run starts
     * from; without one the ranking is null before the first tries, and then has no weights.
     */
    async rankActions({ run, name, history, config, data }: RankActionsInput): Promise<ArtifactRef | null> {
      const store = await ports.store(run);
      return once(store, `${name}/ranking.json`, artifactRefSchema.nullable(), () =>
        withHeartbeat(async (signal, report) => {
          const manifests = await readManifests(store, history);
          const refs = triesIn(manifests);
          const isLearned = learnsOrder(config.prover);
          // A run in the fixed order may have taken over the data of a run that starts from a ranker.
          const start = isLearned ? (data.ranker ?? null) : null;
          if (refs.length === 0 && start === null) return null;
          const tries: Try[] = [];
          for (const ref of isLearned ? refs : []) {
            for await (const one of readTries(store, ref)) tries.push(one);
            // Drops the oldest tries.
            if (tries.length > TRIES_MAX) tries.splice(0, tries.length - TRIES_MAX);
            signal.throwIfAborted();
            report({ tries: tries.length });
          }
          const train = async (): Promise<ArtifactRef> => {
            const from = start === null ? null : ActionRanker.of(await store.get(start));
            return store.put(`${name}/ranker.bin`, ActionRanker.trained(tries, config.seed, from).weights());
          };
          const ranking: z.infer<typeof rankingSchema> = {
            weights: tries.some(({ proved }) => proved) ? await train() : start,
            tries: refs,
          };
          return writeRecords(store, `${name}/ranking.jsonl`, [ranking], signal);
        }),
      );
    },
  };
}

/** Returns the record files of tries (`triedStatementSchema`) of these rounds, oldest first. */
export const triesIn = (manifests: readonly RoundManifest[]): ArtifactRef[] =>
  manifests.flatMap(({ shards }) => shards.flatMap(({ tries }) => tries ?? []));

export async function* readTries(store: ObjectStore, ref: ArtifactRef): AsyncGenerator<Try> {
  for await (const tried of readRecords(store, ref, triedStatementSchema)) yield* triesOn(tried);
}

/** Returns a statement's tries as a ranker learns from them. */
export function triesOn({ tokens, tries }: TriedStatement): Try[] {
  const featuresOf = featuresOn(tokens);
  return tries.map((one) => ({ ...featuresOf(one), proved: one.proved }));
}
