/**
 * Work items as shard files, each the input of one sampling and one verification activity; and the items that a shard's
 * samples leave unproved.
 */
import {
  type ArtifactRef,
  type ObjectStore,
  type Sample,
  type ShardResult,
  shardFolder,
  verdictSchema,
} from '@stp/config/records';
import { type WorkItem, workItemSchema } from '@stp/selfplay';
import { batchesOf } from '../records/batches.ts';
import { readAll, readRecords, writeRecords } from '../records/record-files.ts';

/**
 * Writes one file for each shard of `size` items, in order, below the stage's folder. One shard is in memory at a time.
 */
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

/**
 * Returns the items of a shard that no sample proves, in order.
 *
 * @param earlier the shard's verdicts; null: nothing was sampled yet
 * @param samples the samples of `earlier`
 */
export async function unprovedItems(
  store: ObjectStore,
  { items, earlier }: { readonly items: ArtifactRef; readonly earlier: ShardResult | null },
  samples: readonly Sample[],
): Promise<WorkItem[]> {
  const statementOf = new Map(samples.map(({ id, statementId }) => [id, statementId]));
  const proved = new Set<string>();
  for await (const { kind, sampleId } of earlier === null ? [] : readRecords(store, earlier.verdicts, verdictSchema))
    if (kind === 'proved') proved.add(statementOf.get(sampleId)!);
  return (await readAll(store, items, workItemSchema)).filter(({ statement }) => !proved.has(statement.id));
}
