/** Best-first search for proofs of a shard's statements. Each search gives one sample, verified like the others. */

import { proverOf, type RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type CheckpointRef,
  expansionSchema,
  proofStepSchema,
  type ShardResult,
  sampleSchema,
  searchFiguresSchema,
  shardSearchSchema,
  sumSearches,
} from '@stp/config/records';
import { grownHeaders, limitClasses } from '@stp/lean-verifier';
import { dedupeSamples, seedFrom, type WorkItem } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { LemmaSources } from '../../lemma-shelf.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type {
  DataSources,
  RunEnsemble,
  RunModel,
  RunMonitor,
  RunScratch,
  RunSteps,
  RunStore,
  RunVerifier,
} from '../../ports.ts';
import { stateForms } from '../../prover-forms.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { grownLibrary } from '../../round/library.ts';
import { unprovedItems } from '../../round/shard-files.ts';
import { fetchCheckpoint } from '../../training/checkpoints.ts';
import { BatchedSamples } from '../batched-samples.ts';
import { sampledSchema } from '../shard-turn.ts';
import { type StepProcess, withStepProcesses } from '../step-processes.ts';
import { openVerifierScores } from '../verifier-scores.ts';
import { searchStatement } from './search-statement.ts';

/** Number of searches that share a Lean process: while one waits for the model, the others use the process. */
const SEARCHES_PER_PROCESS = 4;

const searchedShardSchema = sampledSchema.extend({ search: shardSearchSchema });
export type SearchedShard = z.infer<typeof searchedShardSchema>;

/** Record of a finished search. A repeated activity reads it and does not search for the statement again. */
const searchedStatementSchema = z.strictObject({
  proof: z.string(),
  logprob: z.number(),
  tokens: z.number().int(),
  expansions: z.array(expansionSchema).readonly(),
  figures: searchFiguresSchema,
  steps: z.array(proofStepSchema),
});

export interface SearchShardInput {
  readonly run: string;
  /** Folder of the shard; the seeds derive from it too. The search's objects are in its subfolder `search`. */
  readonly name: string;
  readonly items: ArtifactRef;
  /**
   * Result of the shard's whole proofs; null if the configuration has none. Statements that they prove are not
   * searched.
   */
  readonly earlier: ShardResult | null;
  readonly checkpoint: CheckpointRef;
  /** Grown theorems that the proofs may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'seed' | 'modelThreads' | 'verification'>;
}

export function searchShardActivity(
  ports: RunStore &
    RunScratch &
    RunVerifier<'check'> &
    RunSteps &
    RunModel<'sample'> &
    RunEnsemble &
    RunMonitor &
    DataSources<keyof LemmaSources>,
) {
  return {
    /**
     * Runs one search for each unproved item, several at a time. The result contains the earlier samples and those of
     * the searches. A second attempt reads the finished searches and starts the others again.
     */
    async searchShard(input: SearchShardInput): Promise<SearchedShard> {
      const { run, config, earlier } = input;
      const store = await ports.store(run);
      const name = `${input.name}/search`;
      return once(store, `${name}/searched.json`, searchedShardSchema, () =>
        withHeartbeat(async (signal, report) => {
          const wholeProofs = earlier === null ? [] : await readAll(store, earlier.samples, sampleSchema);
          const items = await unprovedItems(store, input, wholeProofs);
          const started = performance.now();
          const { found, modelMs } = await searchItems(ports, input, items, signal, report);
          const wallMs = performance.now() - started;
          const figures = sumSearches([...found.map((one) => one.figures), { ...sumSearches([]), modelMs, wallMs }]);
          const raw = found.map(({ proof, tokens, logprob, steps }, index) => ({
            statementId: items[index]!.statement.id,
            index: earlier === null ? 0 : items[index]!.samples,
            text: proof,
            tokens,
            logprob,
            seed: seedFrom(config.seed, input.name, items[index]!.statement.id, 'search'),
            finish: 'stop' as const,
            ...(steps.length === 0 ? {} : { steps }),
          }));
          const samples = dedupeSamples(raw, input.checkpoint.model, wholeProofs);
          await logMetrics(
            ports,
            run,
            metricsAt(name, 0, {
              searches: figures.searches,
              searches_found: figures.found,
              states_expanded: figures.expansions,
              states_expanded_per_second: figures.expansions / (wallMs / 1_000),
              search_steps: figures.steps,
              search_share_lean: figures.leanMs / Math.max(1, figures.leanMs + figures.modelMs),
            }),
          );
          return {
            samples: await writeRecords(store, `${name}/samples-*.jsonl`, samples, signal),
            sampleCount: raw.length + (earlier?.sampleCount ?? 0),
            distinctCount: samples.length,
            tokens: raw.reduce((sum, { tokens }) => sum + tokens, earlier?.tokens ?? 0),
            search: {
              expansions: await writeRecords(
                store,
                `${name}/expansions-*.jsonl`,
                found.flatMap(({ expansions }) => expansions),
                signal,
              ),
              figures,
            },
          };
        }),
      );
    },
  };
}

async function searchItems(
  ports: RunStore & RunScratch & RunSteps & RunModel<'sample'> & RunEnsemble & DataSources<keyof LemmaSources>,
  input: SearchShardInput,
  items: readonly WorkItem[],
  signal: AbortSignal,
  report: (progress: unknown) => void,
) {
  const { run, config } = input;
  const { verification, sampling } = config;
  const prover = proverOf(config, 'steps', 'both');
  if (items.length === 0) return { found: [], modelMs: 0 };
  const store = await ports.store(run);
  const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
  const generator = await ports.generator(run, directory, config.modelThreads, signal);
  const grown = await grownLibrary(store, input.library);
  const formOf = await stateForms(ports.sources, prover, grown);
  const { temperature, topP, maxTokens } = sampling;
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  const samples = new BatchedSamples(generator, { temperature, topP, maxTokens }, ends);
  const scores = await openVerifierScores(ports, run, prover.search, config.modelThreads, ends);
  const limits = { deadlineMs: limitClasses(verification).big.candidateTimeoutMs, signal: ends };
  let done = 0;
  const searchItem = async ({ statement }: WorkItem, process: StepProcess) => {
    const name = `${input.name}/search/statements/${statement.id}.json`;
    const result = await once(store, name, searchedStatementSchema, () =>
      searchStatement({
        statement: { ...statement, header: grownHeader(statement.header) },
        stream: [config.seed, input.name, statement.id],
        ...process,
        samples,
        scores,
        formOf: formOf(statement),
        search: prover.search,
        limits,
      }),
    );
    done += 1;
    report({ searched: done, of: items.length });
    return result;
  };
  const headers = grownHeaders(grown);
  const grownHeader = (header: string | null): string | null => headers.get(header) ?? header;
  const shared = { run, verification, grown, itemsPerProcess: SEARCHES_PER_PROCESS };
  try {
    const found = await withStepProcesses(ports, shared, items, { failed, ends }, searchItem);
    return { found, modelMs: samples.modelMs };
  } finally {
    await scores?.close();
  }
}
