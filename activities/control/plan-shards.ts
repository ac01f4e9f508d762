/**
 * Plans the attempts of a round: orders statements, conjectures and canaries so that equal headers are together, and
 * cuts them into shards.
 */

import { isInWords } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type ObjectStore,
  type Statement,
  statementSchema,
} from '@stp/config/records';
import { isAttempted, orderKey, randomStream, type WorkItem } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunScratch, RunStore } from '../ports.ts';
import { externalSort } from '../records/external-sort.ts';
import { once, readAll, readRecords } from '../records/record-files.ts';
import { conjectureRecordSchema } from '../round/conjecture-records.ts';
import type { RoundContext } from '../round/round-context.ts';
import { writeShards } from '../round/shard-files.ts';
import { bestRates, readManifests } from '../run/history.ts';

const shardPlanSchema = z.strictObject({ shards: z.array(artifactRefSchema) });

/**
 * Maximum number of shards of a round. Their results (about 0.8 kB per shard) travel in one payload, which Temporal
 * limits to 2 MB, and their activities share one workflow history. Passes of a round share them.
 */
const SHARDS_MAX = 1_000;

/** Canaries in a pass of a round: enough to catch a checker that accepts anything, few enough to cost little time. */
const CANARIES_PER_PASS = 6;

export interface PlanShardsInput extends RoundContext {
  readonly conjectures: ArtifactRef | null;
  /** False: attempt only the conjectures, with canaries. */
  readonly statements?: boolean;
  /** Number of passes in the round; missing: one. */
  readonly passes?: number;
}

export function planShardsActivity(ports: RunStore & RunScratch) {
  return {
    /**
     * Writes work items in a seeded order, one file for each shard. Only ids and numbers stay in memory. A shard has at
     * most `sampling.statementsPerShard` items, or more if the round would have too many shards. Items under one header
     * follow each other, because Lean imports every header anew for each small batch of proofs.
     */
    async planShards(input: PlanShardsInput) {
      const { run, round, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/plan.json`, shardPlanSchema, () =>
        withHeartbeat(async (signal) => {
          let count = 0;
          for await (const _ of roundItems(store, input)) {
            signal.throwIfAborted();
            count++;
          }
          const items = externalSort(roundItems(store, input), {
            key: ({ origin, statement: { id, header } }) =>
              orderKey(config.seed, round, 'header', header ?? '') + orderKey(config.seed, round, 'plan', origin, id),
            directory: await ports.scratch(run),
            signal,
          });
          const canaries = await roundCanaries(store, input);
          const size = shardSize(count + canaries.length, config.sampling.statementsPerShard, input.passes);
          return {
            shards: await writeShards(store, input.name, spread(canaries, items, count), size, signal),
          };
        }),
      );
    },
  };
}

/**
 * Returns the number of items of a shard: as configured, or more if the shards would exceed `SHARDS_MAX`. Shards have
 * nearly equal sizes, so that no machine waits for another.
 *
 * @param passes number of passes of the round, which share `SHARDS_MAX`
 */
export function shardSize(items: number, statementsPerShard: number, passes = 1): number {
  const most = Math.max(statementsPerShard, Math.ceil(items / (SHARDS_MAX / passes)));
  return Math.ceil(items / Math.max(1, Math.ceil(items / most)));
}

const conjectureSamples = (input: PlanShardsInput): number =>
  input.config.sampling.samplesPerConjecture ?? samplesOf(input);

const samplesOf = ({ round, config: { sampling } }: PlanShardsInput): number =>
  round === 0 ? sampling.samplesFirstRound : sampling.samplesPerStatement;

async function* roundItems(store: ObjectStore, input: PlanShardsInput): AsyncGenerator<WorkItem> {
  const samples = samplesOf(input);
  if (input.statements !== false)
    for await (const statement of attemptedStatements(store, input)) yield { statement, origin: 'dataset', samples };
  if (input.conjectures !== null)
    for await (const conjecture of readRecords(store, input.conjectures, conjectureRecordSchema)) {
      const { id, name, header, statement, split, labels, weight } = conjecture;
      yield {
        statement: { id, name, header, statement, split, labels, weight },
        origin: 'conjecture',
        samples: conjectureSamples(input),
      };
    }
}

async function* attemptedStatements(store: ObjectStore, input: PlanShardsInput): AsyncGenerator<Statement> {
  const { round, config, data } = input;
  const best = await bestRates(store, await readManifests(store, input.history));
  for await (const statement of readRecords(store, data.train, statementSchema)) {
    const coin = randomStream(config.seed, round, 'attempt', statement.id).next();
    if (isAttempted(best.get(statement.id), config.selection, coin)) yield statement;
  }
}

/** The canaries of a round. Proofs in words have none, since canaries are texts of Lean. */
async function roundCanaries(store: ObjectStore, input: PlanShardsInput): Promise<WorkItem[]> {
  const { round, config, data } = input;
  if (isInWords(config)) return [];
  const samples = input.statements === false ? conjectureSamples(input) : samplesOf(input);
  return (await readAll(store, data.canaries, statementSchema))
    .map((statement) => ({ statement, key: orderKey(config.seed, round, 'canary', statement.id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, CANARIES_PER_PASS)
    .map(({ statement }) => ({ statement, origin: 'canary', samples }));
}

/** Spreads `few` at even distances among the `count` others, so that no single machine gets all of them. */
async function* spread<T>(few: readonly T[], others: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let [taken, passed] = [0, 0];
  for await (const other of others) {
    yield other;
    passed += 1;
    while (taken < few.length && passed >= ((taken + 0.5) * count) / few.length) yield few[taken++]!;
  }
  yield* few.slice(taken);
}
