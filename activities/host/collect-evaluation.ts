/** Counts the samples of an evaluation: pass@k, and the shortest proof of each proved statement. */

import {
  type ArtifactRef,
  artifactRefSchema,
  modelEvaluationSchema,
  type Proved,
  type ShardResult,
  type Statement,
  statementSchema,
} from '@stp/config/records';
import { budgetsFor, passAtK, randomStream } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { outcomesOf, type StatementTally, tallyShards } from '../evaluation/evaluation-shards.ts';
import type { RunStore } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { foundProof } from '../round/found-proof.ts';

export const collectedSchema = z.strictObject({
  /** The shortest proof of every statement that the samples prove. */
  proved: artifactRefSchema,
  evaluation: modelEvaluationSchema,
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
  /** Were scripts tried on the statements that no sample proved (`prover.scripts`)? */
  readonly withScripts: boolean;
  readonly model: string;
  readonly round: number;
  readonly seed: number;
}

export function collectEvaluationActivity(ports: RunStore) {
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
          const shortest = found.filter(({ model: whose }) => whose === model);
          return {
            proved: await writeRecords(store, `${name}/proved-*.jsonl`, shortest, signal),
            evaluation: {
              model,
              statements: statements.length,
              samplesPerStatement,
              proved: shortest.length,
              unverified: statements.reduce((sum, { id }) => sum + (tallies.get(id)?.unverified ?? 0), 0),
              passAtK: await passAtK(outcomes, budgetsFor(samplesPerStatement), samplesPerStatement, random),
              ...(input.withScripts ? { provedByScripts: found.length - shortest.length } : {}),
            },
          };
        }),
      );
    },
  };
}

/** Returns the shortest proof of every proved statement: a sample's, or a script's if no sample proves it. */
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
    return [foundProof(statement, sample, verdict, { origin: 'dataset', round, passRate })];
  });
}
