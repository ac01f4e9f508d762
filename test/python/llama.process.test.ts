/**
 * Model folders go both ways between this project and Hugging Face's `transformers`: what one writes the other reads, and both
 * compute the same. Costs about 15 seconds of CPU where PyTorch is installed, most of it loading it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Embedder,
  LEAN_TEXTS,
  Reader,
  readModel,
  SMALL_SHAPE,
  smallCheckpoint,
  temporaryDirectory,
  writeCheckpoint,
  writeTokenizer,
} from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { runPython, skipsPython } from './python.ts';

const TOLERANCE = 1e-4;
const skipped = skipsPython('model folders and transformers');
const tokenizer = smallCheckpoint().tokenizer;
const sequences = LEAN_TEXTS.map((text) => tokenizer.encode(text));

interface Computed {
  readonly logProbabilities: readonly (readonly number[])[];
  readonly embeddings: readonly (readonly number[])[];
}

function worstDifference(actual: Float32Array, expected: readonly number[]): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((worst, value, index) => Math.max(worst, Math.abs(value - expected[index]!)), 0);
}

/** What we compute with the folder is what `transformers` computed with it. */
async function expectSame(directory: string, { logProbabilities, embeddings }: Computed): Promise<void> {
  const model = await readModel(directory);
  const reader = await Reader.open(model, tokenizer.padId);
  for (const [index, ids] of sequences.entries()) {
    const prefix = await reader.prefill(ids);
    expect(worstDifference(prefix.logProbabilities, logProbabilities[index]!)).toBeLessThan(TOLERANCE);
  }
  // The model has opinions: a comparison of flat rows would prove nothing.
  expect(Math.max(...logProbabilities.flat())).toBeGreaterThan(Math.log(4 / model.shape.vocabularySize));
  const embedder = new Embedder(reader, model.tokenizer, model.shape);
  const vectors = await embedder.embed(LEAN_TEXTS);
  const size = model.shape.hiddenSize;
  for (const [index, expected] of embeddings.entries())
    expect(worstDifference(vectors.subarray(index * size, (index + 1) * size), expected)).toBeLessThan(TOLERANCE);
  await reader.close();
}

const folder = (
  constants: { tie_word_embeddings: boolean; rope_theta: number; rms_norm_eps: number },
  dtype: string,
  shard: string,
) => ({
  seed: 11,
  config: {
    vocab_size: SMALL_SHAPE.vocabularySize,
    hidden_size: SMALL_SHAPE.hiddenSize,
    intermediate_size: SMALL_SHAPE.feedForwardSize,
    num_hidden_layers: 3,
    num_attention_heads: 6,
    num_key_value_heads: 2,
    max_position_embeddings: SMALL_SHAPE.contextLength,
    ...constants,
  },
  dtype,
  shard,
});

it.skipIf(skipped)('transformers loads our checkpoints, and their logits are ours', async () => {
  const parent = await temporaryDirectory();
  const folders = [true, false].map((tied) => ({ directory: join(parent, `tied-${tied}`), tied }));
  for (const { directory, tied } of folders)
    await writeCheckpoint(directory, smallCheckpoint({ ...SMALL_SHAPE, tiedEmbeddings: tied }));
  const answers = (await runPython('llama.py', { folders, sequences })) as Computed[];
  for (const [index, { directory }] of folders.entries()) await expectSame(directory, answers[index]!);
});

it.skipIf(skipped)(
  'Llamas of transformers load here: tied or not, in shards, of other constants and types',
  async () => {
    const parent = await temporaryDirectory();
    const folders = [
      folder({ tie_word_embeddings: true, rope_theta: 10_000, rms_norm_eps: 1e-5 }, 'float32', '5GB'),
      folder({ tie_word_embeddings: false, rope_theta: 500_000, rms_norm_eps: 1e-6 }, 'float32', '300KB'),
      folder({ tie_word_embeddings: false, rope_theta: 2_000, rms_norm_eps: 1e-3 }, 'bfloat16', '5GB'),
      folder({ tie_word_embeddings: true, rope_theta: 20_000, rms_norm_eps: 1e-5 }, 'float16', '5GB'),
    ].map((make, index) => ({ directory: join(parent, String(index)), make }));
    const answers = (await runPython('llama.py', { folders, sequences })) as Computed[];
    for (const [index, { directory }] of folders.entries()) {
      await writeFile(join(directory, 'tokenizer.json'), writeTokenizer(tokenizer));
      await expectSame(directory, answers[index]!);
    }
  },
);
