/** What a round attempts: statements, conjectures and canaries, shuffled and cut into shards. */
import { z } from 'zod';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { type Statement, statementSchema } from '../data/schemas/records.ts';
import { rateSchema } from '../data/schemas/round.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import { enoughSuccesses } from '../selfplay/adaptive.ts';
import { orderKey, randomStream } from '../selfplay/random.ts';
import { RateTable } from '../selfplay/rates.ts';
import { isAttempted } from '../selfplay/seeds.ts';
import type { WorkItem } from '../selfplay/shards.ts';
import type { RoundContext } from './conjecture.ts';
import { conjectureRecordSchema } from './conjecture-records.ts';
import { withHeartbeat } from './edge.ts';
import { externalSort } from './external-sort.ts';
import { certifiedRates, readManifests, replayWindow } from './history.ts';
import type { Ports } from './ports.ts';
import { once, readAll, readRecords } from './record-files.ts';
import { writeShards } from './shard-files.ts';

const shardPlanSchema = z.strictObject({ shards: z.array(artifactRefSchema) });

/** Canaries in a round: enough to catch a checker that accepts anything, few enough not to be felt. */
const CANARIES_PER_ROUND = 6;

export interface PlanShardsInput extends RoundContext {
  readonly conjectures: ArtifactRef | null;
}

export function planActivities(ports: Ports) {
  return {
    /** Work items in an order that the run's seed gives, a file a shard; in memory are ids and numbers. */
    async planShards(input: PlanShardsInput) {
      const { run, round, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/plan.json`, shardPlanSchema, () =>
        withHeartbeat(async () => {
          const items = externalSort(roundItems(store, input), {
            key: (item) => orderKey(config.seed, round, 'plan', item.origin, item.statement.id),
            directory: await ports.scratch(run),
          });
          return { shards: await writeShards(store, input.name, items, config.sampling.statementsPerShard) };
        }),
      );
    },
  };
}

async function* roundItems(store: ObjectStore, input: PlanShardsInput): AsyncGenerator<WorkItem> {
  const { round, config, data } = input;
  const { samplesFirstRound, samplesPerStatement } = config.sampling;
  const samples = round === 0 ? samplesFirstRound : samplesPerStatement;
  const manifests = await readManifests(store, input.history);
  const best = await certifiedRates(store, manifests);
  const earlier = new RateTable();
  if (config.sampling.waves > 1)
    for (const manifest of replayWindow(manifests, input.replayFrom, config.selection.replayRounds))
      for await (const rate of readRecords(store, manifest.rates, rateSchema)) earlier.add(rate.statementId, rate);
  const item = (statement: Statement, origin: 'dataset' | 'conjecture'): WorkItem => {
    const enough = enoughSuccesses(origin, samples, earlier.get(statement.id), config);
    return { statement, origin, samples, ...(enough === null ? {} : { enough }) };
  };
  for await (const statement of readRecords(store, data.train, statementSchema)) {
    const coin = randomStream(config.seed, round, 'attempt', statement.id).next();
    if (isAttempted(best.get(statement.id), config.selection, coin)) yield item(statement, 'dataset');
  }
  if (input.conjectures !== null)
    for await (const conjecture of readRecords(store, input.conjectures, conjectureRecordSchema)) {
      const { id, name, header, statement, split, labels, weight } = conjecture;
      yield item({ id, name, header, statement, split, labels, weight }, 'conjecture');
    }
  const canaries = (await readAll(store, data.canaries, statementSchema))
    .map((statement) => ({ statement, key: orderKey(config.seed, round, 'canary', statement.id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { statement } of canaries.slice(0, CANARIES_PER_ROUND)) yield { statement, origin: 'canary', samples };
}
