/** Rewards the samples of a round, shard by shard, by Lean's verdicts and by other reward sources. */

import {
  type ArtifactRef,
  artifactRefSchema,
  type ShardResult,
  sampleRewardSchema,
  shardFolder,
} from '@stp/config/records';
import { withHeartbeat } from '../edge.ts';
import type { RewardSources, RunStore } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { type RewardConfig, rewardShard } from '../round/shard-rewards.ts';

export interface RewardRoundInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly shards: readonly ShardResult[];
  readonly config: RewardConfig;
}

export function rewardRoundActivity(ports: RunStore & RewardSources) {
  return {
    /**
     * Writes for every sample, except canaries', a reward or the reason why there is none. The order is that of
     * `groupsOf`.
     */
    async rewardRound(input: RewardRoundInput): Promise<ArtifactRef> {
      const { run, name, shards, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/rewarded.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const parts: ArtifactRef[] = [];
          for (const [index, result] of shards.entries()) {
            const folder = shardFolder(name, index);
            const onProgress = (samples: number): void => report({ shard: index, of: shards.length, samples });
            const shard = { run, folder, result, config, signal, onProgress };
            parts.push(await rewardShard(ports, store, shard));
            report({ shard: index + 1, of: shards.length });
          }
          async function* all() {
            for (const part of parts) yield* readRecords(store, part, sampleRewardSchema);
          }
          return writeRecords(store, `${name}/rewards-*.jsonl`, all(), signal);
        }),
      );
    },
  };
}
