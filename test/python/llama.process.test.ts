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
import { runPython, skipsPython } from './python.ts';

/** Of log-probabilities and of the numbers of an embedding. */
const TOLERANCE = 1e-4;
const GREEDY = { temperature: 0, topP: 1, maxTokens: 16, tokenLogprobs: true };
const skipped = skipsPython('model folders and transformers');
const tokenizer = smallCheckpoint().tokenizer;
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

const sizes = {
  vocab_size: tokenizer.size,
  hidden_size: SMALL_SHAPE.hiddenSize,
  intermediate_size: SMALL_SHAPE.feedForwardSize,
  num_hidden_layers: 3,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  max_position_embeddings: SMALL_SHAPE.contextLength,
};
const folder = (family: string, config: object, dtype = 'float32', shard = '5GB') => ({
  ...{ seed: 11, family, config: { ...sizes, ...config }, dtype, shard },
});
const constants = (tied: boolean, theta: number, epsilon: number) => ({
  tie_word_embeddings: tied,
  rope_parameters: { rope_type: 'default', rope_theta: theta },
  rms_norm_eps: epsilon,
});
/** Trained on so short a context that the tests' texts are beyond it. */
const scaled = (type: string, more: object) => ({
  rope_parameters: { rope_type: type, rope_theta: 10_000, factor: 4, original_max_position_embeddings: 40, ...more },
});

/** Checkpoints of ours, tied or not. */
const OURS = { 'our tied checkpoint': true, 'our checkpoint with a head': false };
/** As `transformers` writes them. */
const MODELS: Readonly<Record<string, ReturnType<typeof folder>>> = {
  'a tied Llama': folder('llama', constants(true, 10_000, 1e-5)),
  'a Llama in shards, of other constants': folder('llama', constants(false, 500_000, 1e-6), 'float32', '300KB'),
  'a Llama in bfloat16': folder('llama', constants(false, 2_000, 1e-3), 'bfloat16'),
  'a Llama in float16': folder('llama', constants(true, 20_000, 1e-5), 'float16'),
  'a Llama with all biases': folder('llama', { attention_bias: true, mlp_bias: true }),
  'a Llama with heads of another size': folder('llama', { head_dim: 24, tie_word_embeddings: true }),
  'a Llama with linear scaling': folder('llama', scaled('linear', {})),
  'a Llama 3 with its scaling': folder('llama', scaled('llama3', { low_freq_factor: 1, high_freq_factor: 4 })),
  'a Llama with YaRN': folder('llama', scaled('yarn', {})),
  'a Mistral': folder('mistral', { sliding_window: null, head_dim: 32 }),
  'a Mistral with a window': folder('mistral', { sliding_window: 150 }, 'bfloat16', '300KB'),
  'a Qwen2': folder('qwen2', { tie_word_embeddings: true }),
  'a Qwen2 with YaRN': folder(
    'qwen2',
    scaled('yarn', { beta_fast: 16, beta_slow: 2, attention_factor: 1.3 }),
    'bfloat16',
  ),
  'a Qwen3': folder('qwen3', { head_dim: 32, tie_word_embeddings: true }),
  'a Qwen3 with biases, in shards': folder('qwen3', { head_dim: 16, attention_bias: true }, 'bfloat16', '300KB'),
};

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
    for (const [name, make] of Object.entries(MODELS)) folders.push({ name, directory: join(parent, name), make });
    answers = (await runPython('llama.py', { folders, sequences })) as Computed[];
  }, 300_000);
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it.each([...Object.keys(OURS), ...Object.keys(MODELS)])('with %s', async (name) => {
    const index = folders.findIndex((one) => one.name === name);
    const { directory, make } = folders[index]!;
    if (make !== undefined) await writeFile(join(directory, 'tokenizer.json'), writeTokenizer(tokenizer));
    await expectSame(directory, answers[index]!);
  });
});
