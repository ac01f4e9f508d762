/** Trains the ranker of actions before a round, from all tries of the rounds before. */
import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { actionPrice } from '@stp/lean-explore';
import { ActionRanker, Failures, fixedPrior, type Try } from '@stp/selfplay';
import type { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { RunStore } from '../../ports.ts';
import { once, readRecords, writeRecords } from '../../records/record-files.ts';
import { readManifests } from '../../run/history.ts';
import { rankerView } from './order.ts';
import { type rankingSchema, triedStatementSchema } from './tries.ts';

/** Tries that a ranker learns from, the latest: some 600 bytes each in memory. */
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
     * The ranking (`rankingSchema`), an object of one record; null where nothing was tried yet. Made once: the same tries give the
     * same weights, bit for bit. While no try has proved anything there are no weights.
     */
    async rankActions({ run, name, history, config }: RankActionsInput): Promise<ArtifactRef | null> {
      const store = await ports.store(run);
      return once(store, `${name}/ranking.json`, artifactRefSchema.nullable(), () =>
        withHeartbeat(async (signal, report) => {
          const manifests = await readManifests(store, history);
          const refs = manifests.flatMap(({ shards }) => shards.flatMap(({ tries }) => tries ?? []));
          if (refs.length === 0) return null;
          const view = rankerView(config.prover);
          const tries: Try[] = [];
          const failures = new Map<string, Failures>();
          for (const ref of view === null ? [] : refs) {
            for await (const { statementId, tokens, tries: own } of readRecords(store, ref, triedStatementSchema)) {
              const failed = failures.get(statementId) ?? new Failures();
              failures.set(statementId, failed);
              for (const { parts, before, proved } of own) {
                const prior = fixedPrior(actionPrice(parts), before);
                tries.push({
                  prior,
                  features: view!.features(tokens, parts),
                  after: view!.after(failed, parts),
                  proved,
                });
                if (!proved) failed.add(parts);
              }
            }
            // The latest stay.
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
