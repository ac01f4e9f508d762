/** Work items as shard files: the input of one sampling and one verification activity. */
import type { ArtifactRef } from '../../data/schemas/artifact.ts';
import { shardFolder } from '../../data/schemas/round.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import type { WorkItem } from '../../selfplay/shards.ts';
import { batchesOf } from '../records/batches.ts';
import { writeRecords } from '../records/record-files.ts';

/** One file a shard of `size` items, in order, under the stage's folder. One shard is in memory at a time. */
export async function writeShards(
  store: ObjectStore,
  stage: string,
  items: Iterable<WorkItem> | AsyncIterable<WorkItem>,
  size: number,
  signal?: AbortSignal,
): Promise<ArtifactRef[]> {
  const refs: ArtifactRef[] = [];
  for await (const shard of batchesOf(items, size))
    refs.push(await writeRecords(store, `${shardFolder(stage, refs.length)}/items.jsonl`, shard, signal));
  return refs;
}
