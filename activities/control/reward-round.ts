/** Rewards for the samples of a round, shard by shard: what Lean said and certified, and what other sources say. */

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
import { certifiedTexts, type RewardConfig, rewardShard } from '../round/shard-rewards.ts';

export interface RewardRoundInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly shards: readonly ShardResult[];
  /** Certified proofs of the round. */
  readonly proved: ArtifactRef;
  readonly config: RewardConfig;
}

export function rewardRoundActivity(ports: RunStore & RewardSources) {
  return {
    /** A reward, or a reason why there is none, for every sample but those of canaries, in the order of `groupsOf`. */
    async rewardRound(input: RewardRoundInput): Promise<ArtifactRef> {
      const { run, name, shards, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/rewarded.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const certified = await certifiedTexts(store, input.proved);
          const parts: ArtifactRef[] = [];
          for (const [index, result] of shards.entries()) {
            const folder = shardFolder(name, index);
            const onProgress = (samples: number): void => report({ shard: index, of: shards.length, samples });
            const shard = { run, folder, result, certified, config, signal, onProgress };
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
