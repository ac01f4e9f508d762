/** Entry of a sampling process of the embedded engine: one checkpoint, one thread. */
import { readModel } from '../../checkpoint/model-folder.ts';
import { Embedder } from '../sampling/embedder.ts';
import { Sampler } from '../sampling/sampler.ts';
import { serveSampler } from './serve-sampler.ts';

serveSampler(async (checkpointDirectory: string, rows) => {
  const model = await readModel(checkpointDirectory);
  const { contextLength, vocabularySize, hiddenSize } = model.shape;
  const sampler = await Sampler.open(model, rows);
  const embedder = new Embedder(sampler.reader, model.tokenizer, model.shape);
  return {
    sampler,
    model: { name: model.model, contextLength, vocabularySize, hiddenSize },
    embed: (texts) => embedder.embed(texts),
    encodePrompt: (text) => model.tokenizer.encodePrompt(text),
    decode: (ids) => model.tokenizer.decode(ids),
  };
});
