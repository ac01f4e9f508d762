/**
 * Walks over proof states for a shard's statements. Each walk gives one sample, verified like the others, and a
 * training record for the flow.
 */

import { proverOf } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef, walkSchema } from '@stp/config/records';
import { grownHeaders, limitClasses } from '@stp/lean-verifier';
import { dedupeSamples, randomStream, type StateForm, seedFrom, type WorkItem, workItemSchema } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import type { LemmaSources } from '../../lemma-shelf.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type { DataSources, RunEnsemble, RunModel, RunMonitor, RunScratch, RunSteps, RunStore } from '../../ports.ts';
import { stateForms } from '../../prover-forms.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { grownLibrary } from '../../round/library.ts';
import { fetchCheckpoint } from '../../training/checkpoints.ts';
import { BatchedSamples } from '../batched-samples.ts';
import { type SampleShardInput, sampledSchema } from '../shard-turn.ts';
import { type StepProcess, withStepProcesses } from '../step-processes.ts';
import { NOTHING } from '../steps/search-statement.ts';
import { openVerifierScores, type VerifierScores } from '../verifier-scores.ts';
import { type Walked, walkStatement } from './walk-statement.ts';

const STATEMENTS_PER_PROCESS = 4;
/** Number of temperatures of exploring walks: few, so that walks at the same temperature share a call. */
const TEMPERATURES = 4;
/** Lowest and highest temperature of exploring walks. */
const [TEMPERATURE_MIN, TEMPERATURE_MAX] = [0.5, 1.5];

const walkedShardSchema = sampledSchema.extend({
  walks: artifactRefSchema,
  figures: z.strictObject({ walksLeanMs: z.number() }),
});
export type WalkedShard = z.infer<typeof walkedShardSchema>;

/** Record of a finished statement. A repeated activity reads it and does not walk again. */
const walkedStatementSchema = z.strictObject({
  walked: z.array(z.strictObject({ walk: walkSchema, proof: z.string(), tokens: z.number(), logprob: z.number() })),
  leanMs: z.number(),
});

export interface WalkShardInput extends SampleShardInput {
  readonly library: ArtifactRef | null;
  readonly checkpoint: CheckpointRef;
}

export function walkShardActivity(
  ports: RunStore &
    RunScratch &
    RunSteps &
    RunModel<'sample'> &
    RunEnsemble &
    RunMonitor &
    DataSources<keyof LemmaSources>,
) {
  return {
    /**
     * Walks once for each sample of a statement. A second attempt reads the finished statements and starts the others
     * again.
     */
    async walkShard(input: WalkShardInput): Promise<WalkedShard> {
      const { run, name, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/walked.json`, walkedShardSchema, () =>
        withHeartbeat(async (signal, report) => {
          const items = await readAll(store, input.items, workItemSchema);
          const found = await walkItems(ports, input, items, signal, report);
          const all = found.flatMap(({ walked }) => walked);
          const leanMs = found.reduce((sum, one) => sum + one.leanMs, 0);
          const raw = all.map(({ walk, proof, tokens, logprob }) => ({
            statementId: walk.statementId,
            index: walk.index,
            text: proof,
            tokens,
            logprob,
            seed: seedFrom(config.seed, name, walk.statementId, 'walk', walk.index),
            finish: 'stop' as const,
          }));
          const samples = dedupeSamples(raw, input.checkpoint.model);
          await logMetrics(ports, run, metricsAt(name, 0, { walks: all.length, walks_lean_seconds: leanMs / 1_000 }));
          return {
            samples: await writeRecords(store, `${name}/samples-*.jsonl`, samples, signal),
            walks: await writeRecords(
              store,
              `${name}/walks-*.jsonl`,
              all.map(({ walk }) => walk),
              signal,
            ),
            sampleCount: raw.length,
            distinctCount: samples.length,
            tokens: raw.reduce((sum, { tokens }) => sum + tokens, 0),
            figures: { walksLeanMs: leanMs },
          };
        }),
      );
    },
  };
}

async function walkItems(
  ports: RunStore & RunScratch & RunSteps & RunModel<'sample'> & RunEnsemble & DataSources<keyof LemmaSources>,
  input: WalkShardInput,
  items: readonly WorkItem[],
  signal: AbortSignal,
  report: (progress: unknown) => void,
): Promise<z.infer<typeof walkedStatementSchema>[]> {
  const { run, config } = input;
  const { verification } = config;
  const prover = proverOf(config, 'walks');
  const store = await ports.store(run);
  const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
  const generator = await ports.generator(run, directory, config.modelThreads, signal);
  const grown = await grownLibrary(store, input.library);
  const formOf = await stateForms(ports.sources, prover, grown);
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  const policies = explorers(generator, config, ends);
  const limits = { deadlineMs: limitClasses(verification).big.candidateTimeoutMs, signal: ends };
  const headers = grownHeaders(grown);
  const scores = await openVerifierScores(ports, run, prover.walks, config.modelThreads, ends);
  let done = 0;
  const walkItem = async ({ statement, samples }: WorkItem, process: StepProcess) => {
    const name = `${input.name}/walks/${statement.id}.json`;
    const stream = [config.seed, input.name, statement.id];
    const found = await once(store, name, walkedStatementSchema, async () => {
      const header = headers.get(statement.header) ?? statement.header;
      const walked = await walkStatement({
        ...{ statement: { ...statement, header }, walks: samples, stepsMax: prover.walks.steps, stream },
        ...process,
        policyOf: (walk) => policies(randomStream(...stream, 'temperature', walk).next()),
        formOf: formOf(statement),
        limits,
      });
      if (walked === null) return { walked: refused(statement.id, samples), leanMs: 0 };
      const scored = scores === null ? walked.walked : await withScores(walked.walked, scores, formOf(statement));
      return { walked: [...scored], leanMs: walked.leanMs };
    });
    done += 1;
    report({ walked: done, of: items.length });
    return found;
  };
  const shared = { run, verification, grown, itemsPerProcess: STATEMENTS_PER_PROCESS };
  try {
    return await withStepProcesses(ports, shared, items, { failed, ends }, walkItem);
  } finally {
    await scores?.close();
  }
}

/**
 * Adds the verifiers' scores for the tactics written in each state. Each state is scored once, with all tactics that
 * walks wrote there.
 */
async function withScores(walked: readonly Walked[], scores: VerifierScores, formOf: StateForm): Promise<Walked[]> {
  const byPrompt = new Map<string, Set<string>>();
  const promptsOf = ({ walk: { states, written } }: Walked): string[] =>
    written.map((_, at) => formOf(states[at]!.goal).prompt);
  for (const own of walked)
    for (const [at, prompt] of promptsOf(own).entries())
      byPrompt.set(prompt, (byPrompt.get(prompt) ?? new Set()).add(own.walk.written[at]!));
  const known = new Map<string, ReadonlyMap<string, number>>();
  for (const [prompt, texts] of byPrompt) {
    const asked = [...texts];
    const given = await scores.of(prompt, asked);
    known.set(prompt, new Map(asked.map((text, at) => [text, given[at]!])));
  }
  return walked.map((own) => ({
    ...own,
    walk: {
      ...own.walk,
      scores: promptsOf(own).map((prompt, at) => known.get(prompt)!.get(own.walk.written[at]!)!),
    },
  }));
}

/**
 * Returns the policy for a number from 0 to 1: at the run's temperature, or at another one for a share of the walks.
 */
function explorers(
  generator: ConstructorParameters<typeof BatchedSamples>[0],
  config: WalkShardInput['config'],
  signal: AbortSignal,
): (drawn: number) => BatchedSamples {
  const { sampling } = config;
  const { topP, maxTokens } = sampling;
  const at = (temperature: number) => new BatchedSamples(generator, { temperature, topP, maxTokens }, signal);
  const usual = at(sampling.temperature);
  const { temperedShare } = proverOf(config, 'walks').walks;
  const others = Array.from({ length: TEMPERATURES }, (_, index) =>
    at(TEMPERATURE_MIN + ((index + 0.5) / TEMPERATURES) * (TEMPERATURE_MAX - TEMPERATURE_MIN)),
  );
  return (drawn) => (drawn >= temperedShare ? usual : others[Math.floor((drawn / temperedShare) * TEMPERATURES)]!);
}

/** Returns the samples of a statement for which Lean has no goal: they fail and give no training. */
const refused = (statementId: string, samples: number): z.infer<typeof walkedStatementSchema>['walked'] =>
  Array.from({ length: samples }, (_, index) => ({
    walk: {
      statementId,
      index,
      states: [{ key: statementId, goal: { hypotheses: [], target: '' }, goals: 1 }],
      written: [],
      end: 'open',
    },
    proof: NOTHING,
    tokens: 0,
    logprob: 0,
  }));
