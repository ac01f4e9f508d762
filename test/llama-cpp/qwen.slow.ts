/**
 * Small random models in the shapes of Qwen2 and Qwen3, as folders and as GGUF files: llama.cpp writes what the embedded engine
 * writes. Installs llama.cpp into the cache if it is not there. Costs half a minute.
 *
 * @module-tag slow
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { llamaCppEngine } from '@stp/config';
import { embeddedGenerator, type Generator, openLlamaCpp, writeGgufModel } from '@stp/language-model';
import { readModel, requestsFor, singleGguf, writeForeignFolder, writeGguf } from '@stp/language-model/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { installLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { workerSettings } from '../../workers/settings.ts';
import { expectSameFigures, GREEDY } from './same-figures.ts';

vi.setConfig({ testTimeout: 120_000 });
const SIZES = {
  vocab_size: 421,
  hidden_size: 96,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  max_position_embeddings: 160,
  hidden_act: 'silu',
  rms_norm_eps: 1e-6,
};
/** Qwen2: biases of queries, keys and values. */
const QWEN2 = { ...SIZES, model_type: 'qwen2', rope_theta: 10_000, tie_word_embeddings: true };
/** Qwen3: norms of queries and keys, heads of their own size. */
const QWEN3 = { ...SIZES, model_type: 'qwen3', rope_theta: 1_000_000, head_dim: 24, tie_word_embeddings: false };
const LINEAR = { rope_scaling: { rope_type: 'linear', factor: 4 } };
const MODELS: readonly [string, Readonly<Record<string, unknown>>][] = [
  ['a Qwen2 with tied embeddings', QWEN2],
  ['a Qwen2 with a head', { ...QWEN2, tie_word_embeddings: false }],
  ['a Qwen2 with scaled positions', { ...QWEN2, ...LINEAR }],
  ['a Qwen3 with tied embeddings', { ...QWEN3, tie_word_embeddings: true }],
  ['a Qwen3 with a head', QWEN3],
  ['a Qwen3 with scaled positions', { ...QWEN3, ...LINEAR }],
  // Tables of tokens are padded, as in the published models.
  ['a Qwen2 with more rows than tokens', { ...QWEN2, vocab_size: 840 }],
  ['a Qwen3 with more rows than tokens', { ...QWEN3, vocab_size: 840 }],
];
const ENGINE = llamaCppEngine({ gpuLayers: 0, threads: 1, sequences: 1 });
let library: string;
let home: string;
/** The text of a tokenizer as Qwen's models have it. */
let tokenizer: string;
let opened: Generator[] = [];

beforeAll(async () => {
  ({ library } = await installLlamaCpp({ cacheDirectory: workerSettings().cacheDirectory, say: console.log }));
  home = await mkdtemp(join(tmpdir(), 'stp-llama-qwen-'));
  const fixture = join(import.meta.dirname, '../fixtures/model/tokenizers.json');
  const { tokenizers } = JSON.parse(await readFile(fixture, 'utf8')) as {
    tokenizers: { name: string; file: object }[];
  };
  tokenizer = JSON.stringify(tokenizers.find(({ name }) => name === 'qwen')!.file);
});
afterEach(async () => {
  for (const generator of opened) await generator.close();
  opened = [];
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function folderOf(name: string, config: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = join(home, name.replaceAll(' ', '-'));
  await writeForeignFolder(folder, config, {
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': '{"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}',
    'generation_config.json': '{"eos_token_id": [2, 0]}',
  });
  return folder;
}

/** The folder that stands for the GGUF of a folder, in single precision. */
async function ggufOf(folder: string): Promise<string> {
  const path = `${folder}.gguf`;
  const { fields, tensors } = singleGguf(await readModel(folder), 'qwen2');
  await writeFile(path, writeGguf(fields, tensors));
  await writeGgufModel(path, `${folder}-gguf`);
  return `${folder}-gguf`;
}

async function open(directory: string) {
  const llama = await openLlamaCpp(directory, { engine: ENGINE, library, cores: 1 });
  opened.push(llama.generator);
  return llama;
}

describe.each(MODELS)('%s', (name, config) => {
  it('writes with llama.cpp what it writes with the embedded engine', async () => {
    const folder = await folderOf(name, config);
    const embedded = await embeddedGenerator({ threads: 1 })(folder);
    opened.push(embedded);
    const requests = requestsFor(1);
    const expected = await embedded.sample(requests, GREEDY);
    // The file has the weights in single precision, the folder becomes one in half precision; caches are in half precision.
    for (const [directory, closeness] of [
      [await ggufOf(folder), 5e-3],
      [folder, 0.05],
    ] as const) {
      const { generator, tokens } = await open(directory);
      const own = (await readModel(folder)).tokenizer;
      for (const { prompt } of requests) expect(await tokens.encodePrompt(prompt)).toEqual(own.encodePrompt(prompt));
      const found = await generator.sample(requests, GREEDY);
      expect(expectSameFigures(found, expected, closeness)).toBeGreaterThan(2 * requests.length);
    }
  });
});
