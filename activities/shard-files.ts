/** Work items as shard files: what one sampling and one verification activity read. */
import type { ArtifactRef } from '../data/schemas/artifact.ts';
import { shardFolder } from '../data/schemas/round.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import { cutShards, type WorkItem } from '../selfplay/shards.ts';
import { writeRecords } from './record-files.ts';

/** One file a shard of `size` items, in order, under the stage's folder. */
export async function writeShards(
  store: ObjectStore,
  stage: string,
  items: readonly WorkItem[],
  size: number,
): Promise<ArtifactRef[]> {
  const refs: ArtifactRef[] = [];
  for (const [index, shard] of cutShards(items, size).entries())
    refs.push(await writeRecords(store, `${shardFolder(stage, index)}/items.jsonl`, shard));
  return refs;
}
