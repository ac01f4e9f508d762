/** Samples the texts of conjectures in parts, so that several machines share them and finished work is not repeated. */

import { formatOf, learnedConjecturer, type RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef } from '@stp/config/records';
import { seedFrom } from '@stp/selfplay';
import type { RunModel, RunScratch, RunStore } from '../../ports.ts';
import { batchesOf } from '../../records/batches.ts';
import { once, readRecords, writeRecords } from '../../records/record-files.ts';
import { CONJECTURE_TEXT_CHARS_MAX, conjecturePlanSchema } from '../../round/conjecture-records.ts';
import { fetchCheckpoint } from '../../training/checkpoints.ts';

export interface SampleConjecturesInput {
  readonly run: string;
  readonly name: string;
  readonly plan: ArtifactRef;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'conjectures' | 'seed' | 'modelThreads'>;
}

/**
 * Conjectures sampled together. A large model needs some minutes for them, and a lost worker loses at most this work.
 */
const TEXTS_PER_PART = 4_096;

/** Returns the text, or the end of a longer one: a model that thinks writes its conjecture last. */
const keptText = (text: string): string => text.slice(-CONJECTURE_TEXT_CHARS_MAX);

/** Samples the parts that `isOurs` picks, each once, and yields them in order. */
export async function* conjectureParts(
  ports: RunStore & RunScratch & RunModel<'sample'>,
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
