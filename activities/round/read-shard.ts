/** Reads a sampled and verified shard from the store, without the canaries' samples. */
import { StpError } from '@stp/base';
import {
  type ObjectStore,
  type Sample,
  type ShardResult,
  sampleSchema,
  type Verdict,
  verdictSchema,
} from '@stp/config/records';
import { type JudgedSamples, type WorkItem, workItemSchema } from '@stp/selfplay';
import { readRecords } from '../records/record-files.ts';

export interface Shard extends JudgedSamples {
  readonly items: ReadonlyMap<string, WorkItem>;
}

export async function readShard(store: ObjectStore, result: ShardResult): Promise<Shard> {
  const items = new Map<string, WorkItem>();
  for await (const item of readRecords(store, result.items, workItemSchema)) items.set(item.statement.id, item);
  const samples: Sample[] = [];
  for await (const sample of readRecords(store, result.samples, sampleSchema)) {
    const item = items.get(sample.statementId);
    if (item === undefined) throw strangeSample(result.samples.uri, sample);
    if (item.origin !== 'canary') samples.push(sample);
  }
  const verdicts = new Map<string, Verdict>();
  for await (const verdict of readRecords(store, result.verdicts, verdictSchema))
    verdicts.set(verdict.sampleId, verdict);
  return { items, samples, verdicts };
}

function strangeSample(uri: string, sample: Sample): StpError {
  return new StpError(
    'STP1402',
    `${uri}: sample ${sample.id} is of statement ${sample.statementId}, which is not in the shard`,
    'Remove the shard folder; the step that made it will run again.',
    { facts: { uri, sampleId: sample.id } },
  );
}
