/** Tests foreign model folders: the engine reads those that it can run and refuses the others. About two seconds. */
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { describe, expect, it } from 'vitest';
import { smallCheckpoint, temporaryDirectory } from '../testing/small-checkpoint.ts';
import { writeCheckpoint } from './checkpoint.ts';
import { readModel } from './model-folder.ts';
import { readSafetensors, type Tensor, writeSafetensors } from './safetensors.ts';

const damaged = expect.objectContaining({ code: 'STP1302' });

/**
 * Makes a folder as other tools write it: without manifest and training record, with fields that only these tools use.
 */
async function folder(change: (config: Record<string, unknown>) => unknown = (config) => config) {
  const directory = join(await temporaryDirectory(), 'model');
  const manifest = await writeCheckpoint(directory, smallCheckpoint());
  for (const name of ['manifest.json', 'training.json']) await rm(join(directory, name));
  const path = join(directory, 'config.json');
  const config = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify(change({ ...config, transformers_version: '5.0.0', pretraining_tp: 1 })));
  return { directory, model: manifest.model };
}

async function shard(directory: string, fileOf: (name: string, index: number) => string) {
  const path = join(directory, 'model.safetensors');
  const tensors = readSafetensors(await readFile(path), path);
  await rm(path);
  const shards = new Map<string, Map<string, Tensor>>();
  const map: Record<string, string> = {};
  [...tensors].forEach(([name, tensor], index) => {
    map[name] = fileOf(name, index);
    shards.set(map[name], (shards.get(map[name]) ?? new Map()).set(name, tensor));
  });
  for (const [name, part] of shards) await writeFile(join(directory, name), writeSafetensors(part));
  await writeFile(join(directory, 'model.safetensors.index.json'), JSON.stringify({ metadata: {}, weight_map: map }));
  return map;
}

const isLast = (index: number) => (index % 2 === 0 ? 'a-1.safetensors' : 'a-2.safetensors');

describe('model folder from elsewhere', () => {
  it('is read with its own constants, and named by its weights', async () => {
    const { directory, model } = await folder((config) => ({ ...config, rope_theta: 5e5, rms_norm_eps: 1e-6 }));
    const read = await readModel(directory);
    expect(read.constants).toEqual({ ropeTheta: 5e5, rmsEpsilon: 1e-6 });
    expect(read.model).toBe(model);
    expect([...read.tensors]).toEqual([...smallCheckpoint().tensors]);
    const { directory: newer } = await folder(({ rope_theta: _, ...config }) => ({
      ...config,
      rope_parameters: { rope_type: 'default', rope_theta: 7e4 },
    }));
    expect((await readModel(newer)).constants.ropeTheta).toBe(7e4);
  });

  it('is read from shards', async () => {
    const { directory } = await folder();
    await shard(directory, (_, index) => isLast(index));
    expect(new Map((await readModel(directory)).tensors)).toEqual(new Map(smallCheckpoint().tensors));
  });

  it.each<[string, (config: Record<string, unknown>) => unknown]>([
    ['a bias', (config) => ({ ...config, attention_bias: true })],
    [
      'positions that stretch as the text grows',
      (config) => ({ ...config, rope_scaling: { rope_type: 'dynamic', factor: 2 } }),
    ],
    ['other positions', (config) => ({ ...config, rope_parameters: { rope_type: 'llama3', rope_theta: 1e4 } })],
    ['another activation', (config) => ({ ...config, hidden_act: 'gelu' })],
    ['heads of another size', (config) => ({ ...config, head_dim: 64 })],
    ['an untied head that is not there', (config) => ({ ...config, tie_word_embeddings: false })],
    ['another architecture', (config) => ({ ...config, model_type: 'mamba', architectures: ['MambaForCausalLM'] })],
    ['code to run', (config) => ({ ...config, auto_map: { AutoModel: 'evil.Model' } })],
    ['an endless model', (config) => ({ ...config, num_hidden_layers: 1e9 })],
  ])('is refused with %s', async (_, change) => {
    const { directory } = await folder(change);
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it('is refused with an index that lies', async () => {
    const { directory } = await folder();
    const map = await shard(directory, (_, index) => isLast(index));
    const [name] = Object.keys(map);
    const index = join(directory, 'model.safetensors.index.json');
    for (const wrong of [
      { ...map, [name!]: 'a-2.safetensors' },
      { ...map, [name!]: '../a-1.safetensors' },
      { ...map, [name!]: 'a-3.safetensors' },
      { ...map, extra: '/etc/passwd' },
    ]) {
      await writeFile(index, JSON.stringify({ weight_map: wrong }));
      await expect(readModel(directory)).rejects.toThrow(damaged);
    }
    await writeFile(index, 'not JSON');
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it('with a tokenizer of another kind is told so, in a few lines', async () => {
    const { directory } = await folder();
    const path = join(directory, 'tokenizer.json');
    const file = JSON.parse(await readFile(path, 'utf8'));
    file.model.merges = Array.from({ length: 48_900 }, (_, index) => ['a', index]);
    await writeFile(path, JSON.stringify(file));
    const error = await readModel(directory).catch((reason: unknown) => reason);
    if (!(error instanceof StpError)) throw error;
    const text = error.toText();
    expect(text.split('\n').length).toBeLessThanOrEqual(10);
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain('tokenizer.json: of a kind that is not read here: model.merges: no list of pairs of tokens');
    expect(text).not.toMatch(/cut short|altered|damaged/);
  });

  it('of another architecture is told so too', async () => {
    const { directory } = await folder((config) => ({ ...config, model_type: 'gemma3' }));
    await expect(readModel(directory)).rejects.toThrow(
      /config\.json: of a kind that is not read here: model_type: an architecture that is not computed here/,
    );
  });

  it('of weights that are code is told so', async () => {
    const { directory } = await folder();
    await rename(join(directory, 'model.safetensors'), join(directory, 'pytorch_model.bin'));
    await expect(readModel(directory)).rejects.toThrow(/pytorch_model\.bin has weights as a pickle, which runs code/);
  });

  it('of more weights than a graph holds is told so before they are read', async () => {
    const { directory } = await folder((config) => ({ ...config, num_hidden_layers: 128, intermediate_size: 65_536 }));
    await expect(readModel(directory)).rejects.toThrow(/million weights, \d+ allowed/);
  });

  it('says which tokens end a text, and has its chat template', async () => {
    const { directory } = await folder();
    const write = (name: string, json: object) => writeFile(join(directory, name), JSON.stringify(json));
    await write('generation_config.json', { eos_token_id: [5, 6] });
    const config = { eos_token: { content: '<by>' }, bos_token: '<prove>', chat_template: '{{ messages[0].content }}' };
    await write('tokenizer_config.json', config);
    const { tokenizer, template } = await readModel(directory);
    expect([...tokenizer.endIds]).toEqual([tokenizer.idOf('<by>'), 5, 6]);
    expect(template).toEqual({ source: config.chat_template, names: { bos_token: '<prove>', eos_token: '<by>' } });
    await writeFile(join(directory, 'chat_template.jinja'), 'mine');
    expect((await readModel(directory)).template?.source).toBe('mine');
    await write('generation_config.json', { eos_token_id: 100_000 });
    await expect(readModel(directory)).rejects.toThrow(/no token has the id 100000/);
  });

  it('is no way round the manifest of a checkpoint of ours', async () => {
    const directory = join(await temporaryDirectory(), 'model');
    await writeCheckpoint(directory, smallCheckpoint());
    await expect(readModel(directory)).resolves.toMatchObject({ shape: smallCheckpoint().shape });
    const copy = `${directory}-copy`;
    await cp(directory, copy, { recursive: true });
    await rm(join(copy, 'manifest.json'));
    await expect(readModel(copy)).rejects.toThrow(damaged);
  });
});
