/**
 * Has judges mark the samples of a shard in words instead of verifying them. The rewards of the round are written here
 * already.
 */

import { type ArtifactRef, type ShardResult, sampleRewardSchema, shardResultSchema } from '@stp/config/records';
import { withHeartbeat } from '../../edge.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type { RewardSources, RunMonitor, RunStore } from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { type RewardConfig, rewardShard } from '../../round/shard-rewards.ts';
import type { Sampled } from '../shard-turn.ts';

export interface JudgeShardInput {
  readonly run: string;
  /** Folder of the shard's objects. */
  readonly name: string;
  readonly items: ArtifactRef;
  readonly sampled: Sampled;
  readonly config: RewardConfig;
}

export function judgeShardActivity(ports: RunStore & RewardSources & RunMonitor) {
  return {
    /**
     * Returns the shard without verdicts, since nothing was verified. STP1902 if a judge cannot be reached; the shard
     * is then tried again.
     */
    async judgeShard({ run, name, items, sampled, config }: JudgeShardInput): Promise<ShardResult> {
      const store = await ports.store(run);
      return once(store, `${name}/judged.json`, shardResultSchema, () =>
        withHeartbeat(async (signal, report) => {
          const { samples, sampleCount, distinctCount, tokens, promptTokens } = sampled;
          const result: ShardResult = {
            items,
            samples,
            verdicts: await writeRecords(store, `${name}/no-verdicts.jsonl`, [], signal),
            ...{ sampleCount, distinctCount, tokens, verdictCounts: {}, provedStatements: 0, checkMs: 0 },
            ...(promptTokens === undefined ? {} : { promptTokens }),
          };
          const started = performance.now();
          const onProgress = (judged: number): void => report({ judged, of: distinctCount });
          const rewards = await rewardShard(ports, store, { run, folder: name, result, config, signal, onProgress });
          const all = await readAll(store, rewards, sampleRewardSchema);
          const values = all.flatMap((reward) => (reward.kind === 'reward' ? [reward.value] : []));
          await logMetrics(
            ports,
            run,
            metricsAt(name, 0, {
              samples_judged: values.length,
              samples_unjudged: all.length - values.length,
              ...(values.length === 0
                ? {}
                : { reward_mean: values.reduce((sum, one) => sum + one, 0) / values.length }),
              shard_seconds_judge: (performance.now() - started) / 1_000,
            }),
          );
          return result;
        }),
      );
    },
  };
}
