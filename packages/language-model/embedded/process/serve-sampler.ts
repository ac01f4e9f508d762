/**
 * The main loop of a sampling process for any engine: opens one model, then returns samples as they end, embeddings
 * and tokens.
 */
import { StpError } from '@stp/base';
import type { ModelFacts } from '../../generator.ts';
import type { Sampled, SampleText, Step } from '../sampling/growing-sample.ts';
import type { SampleGroup } from '../sampling/sampler.ts';
import type { SamplingMessage, SamplingRequest } from './sampling-messages.ts';
import { type Post, serve } from './serve.ts';

/** Maximum time between signs of progress while samples are running. */
const REPORT_INTERVAL_MS = 500;
/** Interval of messages with streamed text: frequent enough for a reader, and several tokens in a message. */
const TEXT_INTERVAL_MS = 25;

/** Decodes the samples of several groups together. */
export interface StepSampler {
  readonly idle: boolean;
  add(group: SampleGroup): void;
  drop(isDropped: (key: number) => boolean): void;
  step(): Promise<Step>;
}

export interface OpenedModel {
  readonly sampler: StepSampler;
  readonly model: ModelFacts;
  /** Vectors of the texts, one after another. */
  embed(texts: readonly string[]): Promise<Float32Array>;
  /** Returns the tokens of a prompt. */
  encodePrompt(text: string): readonly number[];
  decode(ids: readonly number[]): string;
}

/** Serves the parent with the model that `open` opens. */
export function serveSampler<Opening>(open: (opening: Opening, rows: number) => Promise<OpenedModel>): void {
  let opening: Promise<OpenedModel> | null = null;
  let running = false;
  serve<SamplingRequest<Opening>, SamplingMessage>(async (request, post) => {
    if (request.type === 'open') {
      opening = open(request.opening, request.rows);
      await post({ type: 'opened', model: (await opening).model });
      return;
    }
    if (opening === null) throw new StpError('STP1301', 'no checkpoint is open', 'Send `open` first.');
    const model = await opening;
    switch (request.type) {
      case 'add':
        model.sampler.add(request.group);
        if (running) break;
        running = true;
        await run(model.sampler, post);
        running = false;
        break;
      case 'drop':
        model.sampler.drop((key) => request.keys.has(key));
        break;
      case 'embed':
        await post({ type: 'embedded', key: request.key, vectors: await model.embed(request.texts) });
        break;
      case 'ask': {
        const { key, question } = request;
        const text = 'text' in question ? question.text : model.decode(question.ids);
        await post({ type: 'answered', key, answer: { text, ids: model.encodePrompt(text) } });
      }
    }
  });
}

async function run(sampler: StepSampler, post: Post<SamplingMessage>): Promise<void> {
  let samples: Sampled[] = [];
  let texts: SampleText[] = [];
  let reportedAt = performance.now();
  while (!sampler.idle) {
    const step = await sampler.step();
    samples.push(...step.ended);
    texts.push(...step.texts);
    const silenceMs = performance.now() - reportedAt;
    const isDue = samples.length > 0 || silenceMs >= (texts.length > 0 ? TEXT_INTERVAL_MS : REPORT_INTERVAL_MS);
    if (!isDue) continue;
    await post({ type: 'sampled', samples, texts });
    samples = [];
    texts = [];
    reportedAt = performance.now();
  }
}
