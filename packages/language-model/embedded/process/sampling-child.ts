/** Entry of a sampling process: one checkpoint, one thread; returns samples as they end, and embeddings on request. */
import { StpError } from '@stp/base';
import { readModel } from '../../checkpoint/model-folder.ts';
import type { ModelFacts } from '../../generator.ts';
import { Embedder } from '../sampling/embedder.ts';
import { type Sampled, Sampler, type SampleText } from '../sampling/sampler.ts';
import type { SamplingMessage, SamplingRequest } from './sampling-messages.ts';
import { type Post, serve } from './serve.ts';

/** Signs of progress are posted at least this often while samples are in progress. */
const REPORT_INTERVAL_MS = 500;
/** Streamed text is posted this often: about as fast as anyone reads, and a message for many tokens. */
const TEXT_INTERVAL_MS = 25;

interface Engine {
  readonly sampler: Sampler;
  readonly model: ModelFacts;
  readonly embedder: Embedder;
}

let opening: Promise<Engine> | null = null;
let running = false;

async function open(checkpointDirectory: string, rows: number): Promise<Engine> {
  const model = await readModel(checkpointDirectory);
  const { contextLength, vocabularySize, hiddenSize } = model.shape;
  const sampler = await Sampler.open(model, rows);
  return {
    sampler,
    model: { name: model.model, contextLength, vocabularySize, hiddenSize },
    embedder: new Embedder(sampler.reader, model.tokenizer, model.shape),
  };
}

async function run(sampler: Sampler, post: Post<SamplingMessage>): Promise<void> {
  if (running) return;
  running = true;
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
  running = false;
}

serve<SamplingRequest, SamplingMessage>(async (request, post) => {
  if (request.type === 'open') {
    opening = open(request.checkpointDirectory, request.rows);
    await post({ type: 'opened', model: (await opening).model });
    return;
  }
  if (opening === null) throw new StpError('STP1301', 'no checkpoint is open', 'Send `open` first.');
  const { sampler, embedder } = await opening;
  switch (request.type) {
    case 'add':
      sampler.add(request.group);
      await run(sampler, post);
      break;
    case 'drop':
      sampler.drop((key) => request.keys.has(key));
      break;
    case 'embed':
      await post({ type: 'embedded', key: request.key, vectors: await embedder.embed(request.texts) });
      break;
  }
});
