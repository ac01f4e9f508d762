/** Sampling: proofs for a shard of statements, texts for a set of conjecturer inputs. */

import { formatOf, learnedConjecturer, marksLemmas, type RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type CheckpointRef,
  costOf,
  type ObjectStore,
  PROOF_CHARS_MAX,
  sumTokens,
} from '@stp/config/records';
import type { Completion } from '@stp/language-model';
import { dedupeSamples, type RawSample, seedFrom, type WorkItem, workItemSchema } from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { markedForm, proverForms } from '../prover-forms.ts';
import { batchesOf } from '../records/batches.ts';
import { once, readAll, readRecords, writeRecords } from '../records/record-files.ts';
import { fetchCheckpoint } from '../training/checkpoints.ts';
import { type AnswerRecord, answerRecord } from './answer-record.ts';
import { CONJECTURE_TEXT_CHARS_MAX, conjecturePlanSchema, conjectureTextSchema } from './conjecture-records.ts';
import { grownTheorems, marksFor } from './library.ts';
import { PORTFOLIO, portfolioSamples } from './portfolio.ts';
import { type AnswerRequest, type SampledAnswers, sampleAnswers } from './sample-answers.ts';

export const sampledSchema = z.strictObject({
  samples: artifactRefSchema,
  sampleCount: z.number().int(),
  distinctCount: z.number().int(),
  tokens: z.number().int(),
  /** Of the prompts, where the engine counts them. */
  promptTokens: z.number().int().optional(),
  /** With `prover.mode` `revise`: the chats so far (`answerRecordSchema`), a record for each new sample. */
  answers: artifactRefSchema.optional(),
});
export type Sampled = z.infer<typeof sampledSchema>;

export interface SampleShardInput {
  readonly run: string;
  /** Folder of the shard, `rounds/1-…/shard-0003`: it names the seeds too. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** Grown theorems, which samples may name; missing in what a workflow asked for that began before. */
  readonly library?: ArtifactRef | null;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'seed' | 'modelThreads' | 'verification'>;
  /** What the model wrote is kept beside the proof that was read from it, where the two differ. */
  readonly keepsTexts?: boolean;
}

export interface SampleConjecturesInput {
  readonly run: string;
  readonly name: string;
  readonly plan: ArtifactRef;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'conjectures' | 'seed' | 'modelThreads'>;
}

export interface ConjectureShare {
  /** Number of the machine, from 0, and how many machines there are. */
  readonly share: number;
  readonly of: number;
}

/** Conjectures sampled together: some minutes of a large model, so that is what a lost worker loses at most. */
const TEXTS_PER_PART = 4_096;

export function generateActivities(ports: Ports) {
  return {
    /** Samples the proofs of every item; seeds come from (run seed, shard, statement, index of the sample). */
    async sampleShard(input: SampleShardInput): Promise<Sampled> {
      const { run, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/sampled.json`, sampledSchema, () =>
        withHeartbeat(async (signal, report) => {
          const items = await readAll(store, input.items, workItemSchema);
          if (input.checkpoint.model === PORTFOLIO) return scriptsOf(ports, store, input, items, signal, report);
          const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
          const generator = await ports.generator(run, directory, config.modelThreads, signal);
          const grown = await Array.fromAsync(grownTheorems(store, input.library ?? null));
          const formOf = await proverForms(ports.sources, config.prover, grown);
          const marksOf = marksLemmas(config.prover) ? marksFor(grown) : () => null;
          const requests = items.flatMap((item) => {
            const form = formOf(item.statement);
            const namespace = marksOf(item.statement);
            // Every second sample does without: what is marked helps some proofs and hinders others.
            const other = namespace === null ? form : markedForm(form, namespace);
            return Array.from({ length: item.samples }, (_, index) => ({
              id: item.statement.id,
              index,
              form: index % 2 === 1 ? other : form,
              prompt: form.prompt,
              ...(form.messages === undefined ? {} : { messages: form.messages }),
              seed: seedFrom(config.seed, input.name, item.statement.id, index),
            }));
          });
          const started = performance.now();
          const keeping = { store, name: input.name, model: input.checkpoint.model };
          const answers = await sampleAnswers(generator, config, requests, keeping, signal, report);
          const { completions, raw } = answers;
          const samples = dedupeSamples(input.keepsTexts ? withTexts(answers, requests) : raw, input.checkpoint.model);
          const counted = sumTokens(completions);
          const seconds = (performance.now() - started) / 1_000;
          await logMetrics(
            ports,
            run,
            metricsAt(input.name, 0, {
              samples: raw.length,
              tokens: counted.tokens,
              ...(counted.promptTokens === undefined ? {} : { prompt_tokens: counted.promptTokens }),
              ...costOf(counted, config.sampling.price),
              tokens_per_second: counted.tokens / seconds,
              shard_seconds_sample: seconds,
            }),
          );
          const sampled = {
            samples: await writeRecords(store, `${input.name}/samples-*.jsonl`, samples, signal),
            sampleCount: raw.length,
            distinctCount: samples.length,
            ...counted,
            ...(config.prover.mode === 'revise'
              ? {
                  answers: await writeRecords(
                    store,
                    `${input.name}/answers-*.jsonl`,
                    firstAnswers(requests, completions, config),
                    signal,
                  ),
                }
              : {}),
          };
          await answers.forget();
          return sampled;
        }),
      );
    },

    /** One text for every planned input whose text is complete; in parts, so that finished work is not repeated. */
    async sampleConjectures(input: SampleConjecturesInput): Promise<ArtifactRef> {
      const store = await ports.store(input.run);
      return once(store, `${input.name}/conjectured.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const parts = await Array.fromAsync(conjectureParts(ports, input, () => true, signal, report));
          async function* all() {
            for (const part of parts) yield* readRecords(store, part, conjectureTextSchema);
          }
          return writeRecords(store, `${input.name}/conjecture-texts-*.jsonl`, all(), signal);
        }),
      );
    },

    /** One machine's share of those parts; `sampleConjectures` finds them done. Returns how many they are. */
    async sampleConjectureShare(input: SampleConjecturesInput & ConjectureShare): Promise<number> {
      const { share, of, ...whole } = input;
      return withHeartbeat(async (signal, report) => {
        const parts = conjectureParts(ports, whole, (part) => part % of === share, signal, report);
        return (await Array.fromAsync(parts)).length;
      });
    },
  };
}

/** Of a longer text its end: a model that thinks writes its conjecture last. */
const keptText = (text: string): string => text.slice(-CONJECTURE_TEXT_CHARS_MAX);

/** The samples with what the model wrote, where a training could not write it from the proof. */
function withTexts({ completions, raw }: SampledAnswers, requests: readonly AnswerRequest[]): RawSample[] {
  return raw.map((sample, at) => {
    const { text } = completions[at]!;
    const isWritten = sample.refused === undefined && requests[at]!.form.targetOf(sample.text) === text;
    return isWritten || text.length > PROOF_CHARS_MAX ? sample : { ...sample, written: text };
  });
}

/** The chat of each sample, up to its answer. */
function* firstAnswers(
  requests: readonly AnswerRequest[],
  completions: readonly Completion[],
  { prover }: SampleShardInput['config'],
): Generator<AnswerRecord> {
  const format = formatOf(prover);
  for (const [at, { id, index, prompt, messages }] of requests.entries()) {
    const asked = messages?.filter(({ role }) => role !== 'system') ?? [{ role: 'user' as const, content: prompt }];
    yield answerRecord(format, { statementId: id, index, asked }, completions[at]!);
  }
}

/** The portfolio in a model's place: it knows when a statement is proved, and tries no further script. */
async function scriptsOf(
  ports: Ports,
  store: ObjectStore,
  { run, name, library, config }: SampleShardInput,
  items: readonly WorkItem[],
  signal: AbortSignal,
  report: (progress: unknown) => void,
): Promise<Sampled> {
  const { verification: limits } = config;
  const statements = items.map(({ statement }) => statement);
  const grown = await Array.fromAsync(grownTheorems(store, library ?? null));
  const raw = await portfolioSamples(ports, statements, { run, limits, grown, signal, report });
  const samples = dedupeSamples(raw, PORTFOLIO);
  return {
    samples: await writeRecords(store, `${name}/samples-*.jsonl`, samples, signal),
    sampleCount: raw.length,
    distinctCount: samples.length,
    tokens: 0,
  };
}

/** The parts that `isOurs` picks, in order, each sampled once. */
async function* conjectureParts(
  ports: Ports,
  input: SampleConjecturesInput,
  isOurs: (part: number) => boolean,
  signal: AbortSignal,
  report: (progress: object) => void,
): AsyncGenerator<ArtifactRef> {
  const { run, config } = input;
  const store = await ports.store(run);
  const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
  const generator = await ports.generator(run, directory, config.modelThreads, signal);
  const { temperature, maxTokens } = learnedConjecturer(config.conjectures);
  const { stop } = formatOf(config.prover).conjecturer;
  const options = { temperature, topP: config.sampling.topP, maxTokens, ...(stop.length > 0 ? { stop } : {}) };
  let [part, first] = [0, 0];
  for await (const batch of batchesOf(readRecords(store, input.plan, conjecturePlanSchema), TEXTS_PER_PART)) {
    const from = first;
    if (isOurs(part)) {
      const name = `${input.name}/conjecture-texts/${String(part).padStart(5, '0')}`;
      yield once(store, `${name}.json`, artifactRefSchema, async () => {
        const requests = batch.map((entry, offset) => ({
          id: String(from + offset),
          prompt: entry.prompt,
          ...(entry.messages === undefined ? {} : { messages: entry.messages }),
          ...(entry.grammar === undefined ? {} : { grammar: entry.grammar }),
          seed: seedFrom(config.seed, input.name, 'conjecture', from + offset),
        }));
        const completions = await generator.sample(requests, options, { signal, onProgress: report });
        const texts = completions
          .filter((completion) => completion.finish === 'stop')
          .map(({ id, text }) => ({ input: Number(id), text: keptText(text) }));
        return writeRecords(store, `${name}-*.jsonl`, texts, signal);
      });
    }
    first += batch.length;
    part += 1;
  }
}
