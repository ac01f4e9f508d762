/** Cuts the statements of an evaluation into shards. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore, Statement } from '@stp/config/records';
import type { WorkItem } from '@stp/selfplay';
import { writeShards } from '../round/shard-files.ts';

/**
 * Approximate limits on the samples of a shard and on their tokens. Long answers make small shards, which machines
 * share better.
 */
const SHARD_SAMPLES = 8_192;
const SHARD_TOKENS = 2 ** 24;
/** Most shards of an evaluation. Each takes two activities, and all share one workflow history. */
const SHARDS_MAX = 1_000;

/**
 * Returns the number of statements in a shard: at most what `SHARD_SAMPLES` and `SHARD_TOKENS` allow, then at most
 * `statementsPerShard`, but at least what `SHARDS_MAX` requires.
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

/** Writes the work items of the statements into shard files. */
export async function planShards(
  store: ObjectStore,
  statements: readonly Statement[],
  samples: number,
  sampling: Pick<RunConfig['sampling'], 'statementsPerShard' | 'maxTokens'>,
): Promise<ArtifactRef[]> {
  const items = statements.map((statement): WorkItem => ({ statement, origin: 'dataset', samples }));
  return writeShards(store, 'evaluation', items, shardSize(items.length, samples, sampling));
}
