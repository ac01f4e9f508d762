/** Cuts the statements of an evaluation into shards. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore, Statement } from '@stp/config/records';
import type { WorkItem } from '@stp/selfplay';
import { writeShards } from '../round/shard-files.ts';

/** Samples of a shard, about, and the tokens that they may come to: long answers make small shards, which machines share better. */
const SHARD_SAMPLES = 8_192;
const SHARD_TOKENS = 2 ** 24;
/** Shards of an evaluation at most: two activities each, they share one workflow history. */
const SHARDS_MAX = 1_000;

/**
 * Statements of a shard: `SHARD_SAMPLES` and `SHARD_TOKENS`, `statementsPerShard` and `SHARDS_MAX` allow no more, in this order.
 */
export function shardSize(
  statements: number,
  samples: number,
  { statementsPerShard, maxTokens }: Pick<RunConfig['sampling'], 'statementsPerShard' | 'maxTokens'>,
): number {
  const samplesMax = Math.min(SHARD_SAMPLES, SHARD_TOKENS / maxTokens);
  const fitting = Math.max(1, Math.floor(samplesMax / Math.max(1, samples)));
  return Math.max(Math.min(statementsPerShard, fitting), Math.ceil(statements / SHARDS_MAX));
}

/** Work items of the statements, cut into shard files. */
export async function planShards(
  store: ObjectStore,
  statements: readonly Statement[],
  samples: number,
  sampling: Pick<RunConfig['sampling'], 'statementsPerShard' | 'maxTokens'>,
): Promise<ArtifactRef[]> {
  const items = statements.map((statement): WorkItem => ({ statement, origin: 'dataset', samples }));
  return writeShards(store, 'evaluation', items, shardSize(items.length, samples, sampling));
}
