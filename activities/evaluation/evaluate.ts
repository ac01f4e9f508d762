/** Evaluation of a model on statements that nothing here trains on: plans of shards, and what their samples came to. */

import type { RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  modelEvaluationSchema,
  type ObjectStore,
  type Proved,
  type ShardResult,
  type Statement,
  statementSchema,
} from '@stp/config/records';
import { budgetsFor, passAtK, randomStream, SampleOutcomes, type WorkItem } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { foundProof } from '../round/found-proof.ts';
import { writeShards } from '../round/shard-files.ts';
import type { PreparedData } from '../run/datasets.ts';
import { type StatementTally, tallyShards } from './evaluation-shards.ts';

/** Samples of a shard, about, and the tokens that they may come to: long answers make small shards, which machines share better. */
const SHARD_SAMPLES = 8_192;
const SHARD_TOKENS = 2 ** 24;
/** Shards of an evaluation at most: two activities each, they share one workflow history. */
const SHARDS_MAX = 1_000;

export const collectedSchema = z.strictObject({
  /** The shortest proof of every statement that the samples prove, to be certified. */
  proved: artifactRefSchema,
  /** The same by scripts, of the statements that the samples do not prove; missing where no scripts were tried. */
  provedByScripts: artifactRefSchema.optional(),
  evaluation: modelEvaluationSchema.omit({ certified: true, scripts: true }),
});
export type Collected = z.infer<typeof collectedSchema>;

export interface CollectEvaluationInput {
  readonly run: string;
  /** Folder of the evaluation's objects. */
  readonly name: string;
  /** The statements that were tried, as records. */
  readonly statements: ArtifactRef;
  readonly samplesPerStatement: number;
  readonly shards: readonly ShardResult[];
  /** Were scripts tried on what the samples left (`prover.scripts`)? */
  readonly withScripts: boolean;
  readonly model: string;
  readonly round: number;
  readonly seed: number;
}

export function evaluateActivities(ports: Ports) {
  return {
    /** Shards of the held-out statements, `evaluation.samplesPerStatement` each. */
    async planEvaluation(input: { run: string; config: RunConfig; data: PreparedData }): Promise<ArtifactRef[]> {
      const store = await ports.store(input.run);
      const statements = await readAll(store, input.data.heldOut, statementSchema);
      const { evaluation, sampling } = input.config;
      return planShards(store, statements, evaluation.samplesPerStatement, sampling);
    },
  };
}

/** Reading samples back takes minutes where there are millions: these run on a node, with heartbeats. */
export function collectEvaluationActivities(ports: Ports) {
  return {
    /** Counts an evaluation's samples, estimates pass@k, and picks the shortest proof of every proved statement. */
    async collectEvaluation(input: CollectEvaluationInput): Promise<Collected> {
      const { run, name, samplesPerStatement, model } = input;
      const store = await ports.store(run);
      return once(store, `${name}/collected.json`, collectedSchema, () =>
        withHeartbeat(async (signal) => {
          const statements = await readAll(store, input.statements, statementSchema);
          const tallies = await tallyShards(store, input.shards, model);
          const outcomes = outcomesOf(statements, tallies);
          const random = randomStream(input.seed, 'bootstrap', name);
          const found = shortestProofs(statements, tallies, samplesPerStatement, input.round);
          const byScripts = found.filter(({ model: whose }) => whose !== model);
          const shortest = found.filter(({ model: whose }) => whose === model);
          return {
            proved: await writeRecords(store, `${name}/found.jsonl`, shortest, signal),
            ...(input.withScripts
              ? { provedByScripts: await writeRecords(store, `${name}/found-by-scripts.jsonl`, byScripts, signal) }
              : {}),
            evaluation: {
              model,
              statements: statements.length,
              samplesPerStatement,
              proved: shortest.length,
              unverified: statements.reduce((sum, { id }) => sum + (tallies.get(id)?.unverified ?? 0), 0),
              passAtK: await passAtK(outcomes, budgetsFor(samplesPerStatement), samplesPerStatement, random),
            },
          };
        }),
      );
    },
  };
}

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

/** Outcomes in the statements' order; one that was never sampled has none. */
export function outcomesOf(
  statements: readonly { readonly id: string }[],
  tallies: ReadonlyMap<string, StatementTally>,
): SampleOutcomes[] {
  return statements.map(({ id }) => tallies.get(id)?.outcomes ?? new SampleOutcomes());
}

/** The shortest proof of every statement that has one, by a script where no sample proves it; not certified yet. */
export function shortestProofs(
  statements: readonly Statement[],
  tallies: ReadonlyMap<string, StatementTally>,
  samplesPerStatement: number,
  round: number,
): Proved[] {
  return statements.flatMap((statement): Proved[] => {
    const tally = tallies.get(statement.id);
    const shortest = tally?.shortest ?? tally?.shortestByScript;
    if (!tally || !shortest) return [];
    const { sample, verdict } = shortest;
    const passRate = tally.outcomes.successes(0, samplesPerStatement) / samplesPerStatement;
    return [foundProof(statement, sample, verdict, { origin: 'dataset', level: 0, round, passRate })];
  });
}
