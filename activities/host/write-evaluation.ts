/** Ends a separate evaluation (`stp-evaluate`): writes its log and its figures. */

import { join } from 'node:path';
import { formatOf, type RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  costOf,
  type EvaluateInput,
  type EvaluationFiles,
  type EvaluationGroup,
  type EvaluationPlan,
  type EvaluationReport,
  expansionSchema,
  type ObjectStore,
  provedSchema,
  type ShardResult,
  type Statement,
  statementSchema,
  sumSearches,
  sumTokens,
  sumVerdicts,
} from '@stp/config/records';
import { blockEstimate, budgetsFor, passAtK, randomStream, refusal } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { type JudgedSample, logRecords, writeEvaluationLog } from '../evaluation/evaluation-log.ts';
import { judgedSamples, outcomesOf, type StatementTally, tallyShards } from '../evaluation/evaluation-shards.ts';
import { SEARCH_RESULTS, searchArguments, searchResults } from '../evaluation/search-results.ts';
import type { LeanSandbox, RunScratch, RunStore, RunVerifier } from '../ports.ts';
import { once, readAll, readRecords } from '../records/record-files.ts';
import { whyIneligible } from '../round/certificate-record.ts';
import { nameOfRun } from '../run/taken-over.ts';

export interface WriteEvaluationInput {
  readonly run: string;
  readonly input: EvaluateInput;
  readonly plan: EvaluationPlan;
  readonly shards: readonly ShardResult[];
  /** Certified proofs. */
  readonly proved: ArtifactRef;
}

const filesSchema = z.strictObject({ evaluation: artifactRefSchema, log: artifactRefSchema });

export function writeEvaluationActivity(ports: RunStore & RunScratch & RunVerifier<'environment'> & LeanSandbox) {
  return {
    /** Writes STP's log, the results of searches in llmstep's format, and last `evaluation.json`. */
    async writeEvaluation(input: WriteEvaluationInput): Promise<EvaluationFiles> {
      const { run, plan, shards } = input;
      const store = await ports.store(run);
      return once(store, 'finished.json', filesSchema, () =>
        withHeartbeat(async (signal) => {
          const scratchPath = join(await ports.scratch(run), `log-${process.pid}.jsonl.gz`);
          const records = allRecords(judgedSamples(store, shards), input.input.round);
          const log = await writeEvaluationLog(store, records, scratchPath, signal);
          const statements = await readAll(store, plan.statements, statementSchema);
          const sandbox = await ports.sandbox(plan.config.verification.sandbox);
          const ineligible = new Set(whyIneligible(sandbox));
          for await (const proof of readRecords(store, input.proved, provedSchema)) {
            for (const reason of whyIneligible(proof.certificate.sandbox)) ineligible.add(reason);
          }
          const tallies = await tallyShards(store, shards);
          const groups = Map.groupBy(statements, (statement) => statement.labels[0]!);
          const verifier = await ports.verifier(run, plan.config.verification);
          const searches = sumSearches(shards.flatMap(({ search }) => search?.figures ?? []));
          const begun = searches.searches === 0 ? null : await begunSearches(store, shards);
          const report: EvaluationReport = {
            name: run,
            model: plan.checkpoint.model,
            modelName: input.input.modelName,
            round: input.input.round,
            split: input.input.split,
            samplesPerStatement: plan.config.sampling.samplesPerStatement,
            temperature: plan.config.sampling.temperature,
            seed: plan.config.seed,
            leanVersion: verifier.environment.version,
            samples: shards.reduce((sum, shard) => sum + shard.sampleCount, 0),
            cutOff: sumCutOff(tallies.values()),
            verdicts: sumVerdicts(shards.map((shard) => shard.verdictCounts)),
            ...(plan.library === null || input.input.library == null
              ? {}
              : { library: { run: nameOfRun(input.input.library, store.root), theorems: plan.library.count } }),
            format: formatOf(plan.config.prover).name,
            ...sumTokens(shards),
            ...costOf(sumTokens(shards), plan.config.sampling.price),
            groups: await Promise.all(
              [...groups].map(async ([group, members]) => ({
                ...(await groupResult(group, members, tallies, plan.config)),
                ...(begun === null ? {} : { begun: members.filter(({ id }) => begun.has(id)).length }),
              })),
            ),
            leanSeconds: (searches.leanMs + shards.reduce((sum, { checkMs }) => sum + checkMs, 0)) / 1_000,
            ...(searches.searches === 0 ? {} : { search: searches }),
            eligible: ineligible.size === 0,
            ineligibleBecause: [...ineligible],
          };
          if (begun !== null) {
            const proved = new Set([...tallies].flatMap(([id, { shortest }]) => (shortest === null ? [] : [id])));
            const results = await searchResults(store, shards, statements, proved);
            const args = searchArguments(input.input.modelName, plan.config);
            await store.put(SEARCH_RESULTS, `${JSON.stringify({ results, args }, null, 4)}\n`);
          }
          return { evaluation: await store.put('evaluation.json', `${JSON.stringify(report, null, 2)}\n`), log };
        }),
      );
    },
  };
}

function sumCutOff(tallies: Iterable<StatementTally>): StatementTally['cutOff'] {
  const sum = { samples: 0, empty: 0 };
  for (const { cutOff } of tallies) {
    sum.samples += cutOff.samples;
    sum.empty += cutOff.empty;
  }
  return sum;
}

/** Returns the ids of the statements for which a search expanded a state. */
async function begunSearches(store: ObjectStore, shards: readonly ShardResult[]): Promise<ReadonlySet<string>> {
  const begun = new Set<string>();
  for (const { search } of shards)
    if (search !== undefined)
      for await (const { statementId } of readRecords(store, search.expansions, expansionSchema))
        begun.add(statementId);
  return begun;
}

async function* allRecords(judged: AsyncIterable<JudgedSample>, round: number | null): AsyncGenerator<object> {
  const lemmaIds = new Map<string, number>();
  for await (const one of judged) {
    const lemmaId = lemmaIds.get(one.statement.id) ?? lemmaIds.size;
    lemmaIds.set(one.statement.id, lemmaId);
    yield* logRecords(one, lemmaId, round);
  }
}

async function groupResult(
  group: string,
  members: readonly Statement[],
  tallies: ReadonlyMap<string, StatementTally>,
  config: RunConfig,
): Promise<EvaluationGroup> {
  const { samplesPerStatement } = config.sampling;
  const outcomes = outcomesOf(members, tallies);
  const recorded = outcomes.reduce((sum, one) => sum + one.recorded(0, samplesPerStatement), 0);
  const missing = members.length * samplesPerStatement - recorded;
  const unverified = missing + members.reduce((sum, { id }) => sum + (tallies.get(id)?.unverified ?? 0), 0);
  const refused = refusal({ statements: members.length, samplesPerStatement, unverified, missing });
  const budgets = refused === null ? budgetsFor(samplesPerStatement) : [];
  return {
    group,
    statements: members.length,
    proved: outcomes.filter((one) => one.successes(0, samplesPerStatement) > 0).length,
    unverified,
    refused,
    block: budgets.map((k) => blockEstimate(outcomes, k, samplesPerStatement, 'drop')),
    unbiased: await passAtK(outcomes, budgets, samplesPerStatement, randomStream(config.seed, 'bootstrap', group)),
  };
}
