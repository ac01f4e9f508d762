/**
 * Tests training of foreign models without PyTorch: unchanged files of the folder, a training that resumes bit for bit,
 * and refusals. `test/python/foreign-training.process.test.ts` compares the arithmetic with PyTorch's. Costs about 5 s.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../checkpoint/checkpoint.ts';
import { readModel } from '../../checkpoint/model-folder.ts';
import { writeForeignFolder } from '../../testing/foreign-folder.ts';
import { smallCheckpoint } from '../../testing/small-checkpoint.ts';
import { EXAMPLES } from '../../testing/small-training.ts';
import { writeTokenizer } from '../../tokenizer/tokenizer-file.ts';
import type { TrainRequest } from '../../trainer.ts';
import { trainInProcess } from './train.ts';

const SHAPE = {
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  feedForwardSize: 48,
  vocabularySize: 320,
  contextLength: 160,
  tiedEmbeddings: true,
};
/** A configuration as Qwen3's, with fields that no code here reads. */
const CONFIG = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  dtype: 'bfloat16',
  vocab_size: 320,
  hidden_size: 32,
  intermediate_size: 48,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 12,
  max_position_embeddings: 160,
  hidden_act: 'silu',
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  ...{ attention_bias: true, rope_parameters: { rope_type: 'linear', factor: 2, rope_theta: 500 }, eos_token_id: 1 },
  pad_token_id: 0,
  bos_token_id: null,
  license: 'apache-2.0',
  use_cache: true,
};
const KEPT = ['chat_template.jinja', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];

let parent: string;
let folder: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stp-foreign-training-'));
  folder = await folderOf('qwen3');
  await writeFile(join(parent, 'examples.jsonl'), EXAMPLES.map((one) => `${JSON.stringify(one)}\n`).join(''));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** Writes a Qwen3 folder, with changes to its configuration that leave the weights as they are. */
async function folderOf(name: string, changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const directory = join(parent, name);
  await writeForeignFolder(directory, CONFIG, {
    'tokenizer.json': writeTokenizer(smallCheckpoint().tokenizer),
    'tokenizer_config.json': '{"eos_token":"<|end|>", "tokenizer_class": "Qwen2Tokenizer"}',
    'generation_config.json': '{ "eos_token_id": 1, "temperature": 0.6 }',
    'chat_template.jinja': '{{ messages[0].content }}',
  });
  await writeFile(join(directory, 'config.json'), JSON.stringify({ ...CONFIG, ...changes }));
  return directory;
}

let outputs = 0;
const request = (changes: Partial<TrainRequest> = {}): TrainRequest => ({
  examplesPath: join(parent, 'examples.jsonl'),
  initDirectory: folder,
  shape: { ...SHAPE, contextLength: 96 },
  outputDirectory: join(parent, `out-${outputs++}`),
  steps: 8,
  tokensPerStep: 300,
  learningRate: 2e-3,
  warmupSteps: 2,
  schedule: 'linear',
  weightDecay: 0.1,
  gradientClipNorm: 1,
  seed: 3,
  stateDirectory: null,
  heldOutPath: null,
  heldOutEverySteps: 4,
  ...changes,
});

describe('a model of other people is trained', () => {
  it('and its folder stays as it was, but for the weights', async () => {
    const losses: number[] = [];
    const asked = request();
    await trainInProcess(asked, { threads: 1, onProgress: ({ loss }) => losses.push(loss) });
    expect(losses.at(-1)!).toBeLessThan(0.9 * losses[0]!);
    const read = (directory: string, name: string) => readFile(join(directory, name), 'utf8');
    for (const name of KEPT) expect(await read(asked.outputDirectory, name), name).toBe(await read(folder, name));
    // The weights are written in float32, and the configuration says so.
    expect(JSON.parse(await read(asked.outputDirectory, 'config.json'))).toEqual({ ...CONFIG, dtype: 'float32' });
    const [before, after] = [await readModel(folder), await readModel(asked.outputDirectory)];
    expect([...after.tensors.keys()]).toEqual([...before.tensors.keys()]);
    expect(after.constants).toEqual(before.constants);
    expect(after.training).toMatchObject({ steps: 8, parent: before.model });
    expect(after.model).toBe((await readManifest(asked.outputDirectory)).model);
    expect(after.template?.source).toBe('{{ messages[0].content }}');
    // The next round starts from it.
    const next = request({ initDirectory: asked.outputDirectory, steps: 1 });
    await trainInProcess(next, { threads: 1 });
    expect((await readModel(next.outputDirectory)).training!.parent).toBe(after.model);
    expect(await readdir(next.outputDirectory)).toEqual(await readdir(asked.outputDirectory));
  });

  it('and a training that was stopped goes on, bit for bit', async () => {
    const plain = request();
    await trainInProcess(plain, { threads: 1 });
    const asked = request({ stateDirectory: join(parent, 'state') });
    const stop = new AbortController();
    const onProgress = ({ step }: { readonly step: number }) => step === 5 && stop.abort(new Error('stopped'));
    const options = { threads: 1, keepStateMs: 0, stepsPerCall: 1 };
    await expect(trainInProcess(asked, { ...options, signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    const seen: number[] = [];
    await trainInProcess(asked, { ...options, onProgress: ({ step }) => seen.push(step) });
    expect(seen[0]).toBeGreaterThan(1);
    expect((await readModel(asked.outputDirectory)).model).toBe((await readModel(plain.outputDirectory)).model);
  });

  it.each<[string, Readonly<Record<string, unknown>>, Partial<TrainRequest['shape']>, RegExp]>([
    ['texts beyond a sliding window', { use_sliding_window: true, sliding_window: 64 }, {}, /it reads 64 tokens/],
    ['a mixture of experts', { model_type: 'qwen3_moe' }, {}, /an architecture that is not computed here/],
    [
      'another scaling of positions',
      { rope_parameters: { rope_type: 'dynamic', factor: 2 } },
      {},
      /a scaling of positions/,
    ],
    ['code of its own', { auto_map: { AutoModel: 'mine.Model' } }, {}, /code of its own/],
    ['sizes that are not the model’s', {}, { layers: 3 }, /its layers is 2, asked for 3/],
    [
      'more memory than any machine has',
      { max_position_embeddings: 65_536 },
      { contextLength: 65_536 },
      /training it takes about \d+\.\d GiB of memory, and this machine has/,
    ],
  ])('but not with %s', async (name, changes, shape, message) => {
    const initDirectory = await folderOf(name.replaceAll(/\W/g, '-'), changes);
    const asked = request({ initDirectory, shape: { ...SHAPE, contextLength: 96, ...shape } });
    const error = await trainInProcess(asked, { threads: 1 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'StpError', message: expect.stringMatching(message) });
    expect((error as Error).message.split('\n')).toHaveLength(1);
  });
});
