/**
 * Model folders go both ways between this project and Hugging Face's `transformers`: what one writes the other reads, and both
 * compute the same. Costs about 20 seconds of CPU where PyTorch is installed, half of it loading it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Embedder,
  LEAN_TEXTS,
  readModel,
  Sampler,
  SMALL_SHAPE,
  smallCheckpoint,
  writeCheckpoint,
  writeTokenizer,
} from '@stp/language-model/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOREIGN_MODELS, tokenizer } from './foreign-models.ts';
import { runPython, skipsPython } from './python.ts';

/** Of log-probabilities and of the numbers of an embedding. */
const TOLERANCE = 1e-4;
const GREEDY = { temperature: 0, topP: 1, maxTokens: 16, tokenLogprobs: true };
const skipped = skipsPython('model folders and transformers');
const TEXTS = LEAN_TEXTS.slice(0, 4);
const sequences = TEXTS.map((text) => tokenizer.encode(text));

interface Computed {
  readonly logProbabilities: readonly (readonly number[])[];
  readonly embeddings: readonly (readonly number[])[];
  /** Each chosen token, its log-probability, and by how much it is likelier than any other. */
  readonly greedy: readonly (readonly { readonly id: number; readonly logprob: number; readonly lead: number }[])[];
}

function worstDifference(actual: Float32Array, expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((worst, value, index) => Math.max(worst, Math.abs(value - expected[index]!)), 0);
}

/** Expects that we compute with the folder what `transformers` computed with it. */
async function expectSame(directory: string, { logProbabilities, embeddings, greedy }: Computed): Promise<void> {
  const model = await readModel(directory);
  const sampler = await Sampler.open(model, 4);
  const { reader } = sampler;
  for (const [index, ids] of sequences.entries()) {
    const prefix = await reader.prefill(ids);
    expect(worstDifference(prefix.logProbabilities, logProbabilities[index]!)).toBeLessThan(TOLERANCE);
    sampler.add({ prompt: TEXTS[index]!, sampling: GREEDY, samples: [{ key: index, seed: 0 }] });
  }
  // The model has opinions: a comparison of flat rows would prove nothing.
  expect(Math.max(...logProbabilities.flat())).toBeGreaterThan(Math.log(4 / model.shape.vocabularySize));
  const embedder = new Embedder(reader, model.tokenizer, model.shape);
  const vectors = await embedder.embed(TEXTS);
  const size = model.shape.hiddenSize;
  for (const [index, expected] of embeddings.entries())
    expect(worstDifference(vectors.subarray(index * size, (index + 1) * size), expected)).toBeLessThan(TOLERANCE);
  let compared = 0;
  while (!sampler.idle)
    for (const { key, tokenLogprobs } of (await sampler.step()).ended) {
      const doubtful = greedy[key]!.findIndex(({ lead }) => lead < 2 * TOLERANCE);
      const steps = greedy[key]!.slice(0, doubtful < 0 ? undefined : doubtful);
      for (const [at, { id, logprob }] of steps.entries()) {
        expect(tokenLogprobs![at]!.token, `text ${key}, token ${at}`).toBe(tokenizer.decode([id]));
        expect(Math.abs(tokenLogprobs![at]!.logprob - logprob)).toBeLessThan(TOLERANCE);
      }
      compared += steps.length;
    }
  expect(compared).toBeGreaterThan(greedy.flat().length / 2);
  await sampler.close();
}

/** Checkpoints of ours, tied or not. */
const OURS = { 'our tied checkpoint': true, 'our checkpoint with a head': false };
describe.skipIf(skipped)('what transformers computes is computed here', () => {
  const folders: { name: string; directory: string; make?: object }[] = [];
  let answers: Computed[];
  let parent: string;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'stp-llama-'));
    for (const [name, tiedEmbeddings] of Object.entries(OURS)) {
      const directory = join(parent, name);
      await writeCheckpoint(directory, smallCheckpoint({ ...SMALL_SHAPE, tiedEmbeddings }));
      folders.push({ name, directory });
    }
    for (const [name, make] of Object.entries(FOREIGN_MODELS))
      folders.push({ name, directory: join(parent, name), make });
    answers = (await runPython('llama.py', { folders, sequences })) as Computed[];
  }, 300_000);
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it.each([...Object.keys(OURS), ...Object.keys(FOREIGN_MODELS)])('with %s', async (name) => {
    const index = folders.findIndex((one) => one.name === name);
    const { directory, make } = folders[index]!;
    if (make !== undefined) await writeFile(join(directory, 'tokenizer.json'), writeTokenizer(tokenizer));
    await expectSame(directory, answers[index]!);
  });
});
