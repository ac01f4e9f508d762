/** Trains the ranker of actions before a round, on the tries of all earlier rounds. */
import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { ActionRanker, type Try } from '@stp/selfplay';
import type { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { RunStore } from '../../ports.ts';
import { once, readRecords, writeRecords } from '../../records/record-files.ts';
import { readManifests } from '../../run/history.ts';
import { featuresOn, learnsOrder } from './order.ts';
import { type rankingSchema, triedStatementSchema } from './tries.ts';

/** Limit on the tries that a ranker learns from, the latest ones; each takes some 400 bytes of memory. */
const TRIES_MAX = 200_000;

export interface RankActionsInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  /** Manifests of the rounds before, oldest first. */
  readonly history: readonly ArtifactRef[];
  readonly config: Pick<RunConfig, 'prover' | 'seed'>;
}

export function rankActionsActivity(ports: RunStore) {
  return {
    /**
     * Returns the ranking (`rankingSchema`), an object of one record; null if nothing was tried yet. It is made once:
     * the same tries give the same weights, bit for bit. There are no weights until a try has proved something.
     */
    async rankActions({ run, name, history, config }: RankActionsInput): Promise<ArtifactRef | null> {
      const store = await ports.store(run);
      return once(store, `${name}/ranking.json`, artifactRefSchema.nullable(), () =>
        withHeartbeat(async (signal, report) => {
          const manifests = await readManifests(store, history);
          const refs = manifests.flatMap(({ shards }) => shards.flatMap(({ tries }) => tries ?? []));
          if (refs.length === 0) return null;
          const tries: Try[] = [];
          for (const ref of learnsOrder(config.prover) ? refs : []) {
            for await (const { tokens, tries: own } of readRecords(store, ref, triedStatementSchema)) {
              const featuresOf = featuresOn(tokens);
              for (const one of own) tries.push({ ...featuresOf(one), proved: one.proved });
            }
            // Drops the oldest tries.
            if (tries.length > TRIES_MAX) tries.splice(0, tries.length - TRIES_MAX);
            signal.throwIfAborted();
            report({ tries: tries.length });
          }
          const isLearned = tries.some(({ proved }) => proved);
          const ranker = isLearned ? ActionRanker.trained(tries, config.seed) : null;
          const ranking: z.infer<typeof rankingSchema> = {
            weights: ranker === null ? null : await store.put(`${name}/ranker.bin`, ranker.weights()),
            tries: refs,
          };
          return writeRecords(store, `${name}/ranking.jsonl`, [ranking], signal);
        }),
      );
    },
  };
}
