/** Samples proofs for a shard of statements. */

import { formatOf, marksLemmas } from '@stp/config';
import { costOf, PROOF_CHARS_MAX, sumTokens } from '@stp/config/records';
import type { Completion } from '@stp/language-model';
import { dedupeSamples, type RawSample, seedFrom, workItemSchema } from '@stp/selfplay';
import { withHeartbeat } from '../../edge.ts';
import type { LemmaSources } from '../../lemma-shelf.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type { DataSources, RunModel, RunMonitor, RunScratch, RunStore } from '../../ports.ts';
import { markedForm, proverForms } from '../../prover-forms.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { grownLibrary, marksFor } from '../../round/library.ts';
import { fetchCheckpoint } from '../../training/checkpoints.ts';
import { type AnswerRecord, answerRecord } from '../revise/answer-record.ts';
import { type Sampled, type SampleShardInput, sampledSchema } from '../shard-turn.ts';
import { type AnswerRequest, type SampledAnswers, sampleAnswers } from './sample-answers.ts';

export function sampleShardActivity(
  ports: RunStore & RunScratch & RunModel<'sample'> & RunMonitor & DataSources<keyof LemmaSources>,
) {
  return {
    /** Samples the proofs of every item. Each seed derives from run seed, shard, statement and index of the sample. */
    async sampleShard(input: SampleShardInput): Promise<Sampled> {
      const { run, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/sampled.json`, sampledSchema, () =>
        withHeartbeat(async (signal, report) => {
          const items = await readAll(store, input.items, workItemSchema);
          const directory = await fetchCheckpoint(store, input.checkpoint, await ports.scratch(run), signal);
          const generator = await ports.generator(run, directory, config.modelThreads, signal);
          const grown = await grownLibrary(store, input.library);
          const formOf = await proverForms(ports.sources, config.prover, grown);
          const marksOf = marksLemmas(config.prover) ? marksFor(grown) : () => null;
          const requests = items.flatMap((item) => {
            const form = formOf(item.statement);
            const namespace = marksOf(item.statement);
            // Every second sample does without the marks, because marked lemmas help some proofs and hinder others.
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
            ...(input.keepsAnswers
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
  };
}

/** Adds the model's text to samples whose proof does not determine the text. */
function withTexts({ completions, raw }: SampledAnswers, requests: readonly AnswerRequest[]): RawSample[] {
  return raw.map((sample, at) => {
    const { text } = completions[at]!;
    const isWritten = sample.refused === undefined && requests[at]!.form.targetOf(sample.text) === text;
    return isWritten || text.length > PROOF_CHARS_MAX ? sample : { ...sample, written: text };
  });
}

/** Yields the chat of each sample, up to its answer. */
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
