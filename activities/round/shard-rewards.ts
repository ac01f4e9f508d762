/** Rewards the samples of a shard by Lean's verdicts and by other reward sources. */

import type { RewardName, RewardsConfig, RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type JudgeSpent,
  judgeSpentSchema,
  type ObjectStore,
  type ShardResult,
  shardFolder,
  sumSpent,
} from '@stp/config/records';
import { mixedReward, type RewardGroup } from '@stp/selfplay';
import type { RewardSources } from '../ports.ts';
import { once, readJson, writeRecords } from '../records/record-files.ts';
import { readShard, type Shard } from './read-shard.ts';

export interface RewardConfig extends Pick<RunConfig, 'seed'> {
  readonly rewards: RewardsConfig;
}

export interface ShardToReward {
  readonly run: string;
  readonly folder: string;
  readonly result: ShardResult;
  readonly config: RewardConfig;
  readonly signal: AbortSignal;
  readonly onProgress: (samplesDone: number) => void;
}

/** Writes the rewards of one shard, once. */
export function rewardShard(
  ports: RewardSources,
  store: ObjectStore,
  { run, folder, result, config, signal, onProgress }: ShardToReward,
): Promise<ArtifactRef> {
  return once(store, `${folder}/rewarded.json`, artifactRefSchema, async () => {
    const names = (Object.keys(config.rewards) as RewardName[]).filter((name) => config.rewards[name] !== null);
    const source = mixedReward(
      names.map((name) => ({
        source: ports.reward(run, name, config.rewards),
        weight: config.rewards[name]!.weight,
      })),
    );
    const groups = groupsOf(await readShard(store, result));
    let spent: JudgeSpent | null = null;
    const onSpent = (all: JudgeSpent): void => {
      spent = all;
    };
    const rewards = await source.rewards(groups, { signal, stream: [config.seed, folder], onProgress, onSpent });
    if (spent !== null) await once(store, spentName(folder), judgeSpentSchema, async () => spent!);
    return writeRecords(store, `${folder}/rewards-*.jsonl`, rewards, signal);
  });
}

const spentName = (folder: string): string => `${folder}/judge-spent.json`;

/** Returns the judges' cost for a round's shards; null if no judge was to be asked. */
export async function judgesSpent(store: ObjectStore, name: string, shards: number): Promise<JudgeSpent | null> {
  const parts: JudgeSpent[] = [];
  for (let index = 0; index < shards; index++) {
    const ref = await store.stat(spentName(shardFolder(name, index)));
    if (ref !== null) parts.push(await readJson(store, ref, judgeSpentSchema));
  }
  return parts.length === 0 ? null : sumSpent(parts);
}

/** Groups the samples of a shard by statement, in the order of the statements' first samples. */
export function groupsOf(shard: Shard): RewardGroup[] {
  const groups = new Map<string, { statement: RewardGroup['statement']; samples: RewardGroup['samples'][number][] }>();
  for (const sample of shard.samples) {
    const { statement } = shard.items.get(sample.statementId)!;
    const group = groups.get(statement.id) ?? { statement, samples: [] };
    group.samples.push({ sample, verdict: shard.verdicts.get(sample.id) ?? null });
    groups.set(statement.id, group);
  }
  return [...groups.values()];
}
