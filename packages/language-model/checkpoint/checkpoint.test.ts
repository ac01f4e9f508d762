/**
 * Tests the checkpoint folder: it is written completely or not at all, and never loaded if a byte differs. About two
 * seconds.
 */
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from '../testing/small-checkpoint.ts';
import { readManifest, removePartialCheckpoints, writeCheckpoint } from './checkpoint.ts';
import type { CheckpointFile } from './manifest.ts';
import { CHECKPOINT_FILES, MANIFEST_FILE, manifestOf, WEIGHTS_FILE } from './manifest.ts';
import { readModel } from './model-folder.ts';

const damaged = expect.objectContaining({ code: 'STP1302' });
const invalid = expect.objectContaining({ code: 'STP1002' });

async function written() {
  const directory = join(await temporaryDirectory(), 'model');
  const manifest = await writeCheckpoint(directory, smallCheckpoint());
  return { directory, manifest };
}

/** Writes a file with a manifest that matches it, as a forger would. */
async function replaceHonestly(directory: string, name: CheckpointFile, content: string | Buffer): Promise<void> {
  await writeFile(join(directory, name), content);
  const contents = await Promise.all(
    CHECKPOINT_FILES.map(async (file) => [file, await readFile(join(directory, file))] as const),
  );
  const manifest = manifestOf(Object.fromEntries(contents) as Record<CheckpointFile, Buffer>);
  await writeFile(join(directory, MANIFEST_FILE), JSON.stringify(manifest));
}

describe('checkpoint', () => {
  it('reads back as it was written', async () => {
    const { directory, manifest } = await written();
    const { shape, tensors, tokenizer, training } = smallCheckpoint();
    const read = await readModel(directory);
    expect(read.shape).toEqual(shape);
    expect([...read.tensors]).toEqual([...tensors]);
    expect(read.tokenizer.vocabulary).toEqual(tokenizer.vocabulary);
    expect(read.training).toEqual(training);
    expect(read.model).toBe(manifest.model);
    expect(await readManifest(directory)).toEqual(manifest);
  });

  it('has the same bytes whenever the same model is written, and its name is its weights', async () => {
    const [first, second] = [await written(), await written()];
    expect(second.manifest).toEqual(first.manifest);
    const other = join(await temporaryDirectory(), 'model');
    expect((await writeCheckpoint(other, smallCheckpoint(SMALL_SHAPE, 8))).model).not.toBe(first.manifest.model);
  });

  it('is a Llama for other tools', async () => {
    const { directory } = await written();
    const config = JSON.parse(await readFile(join(directory, 'config.json'), 'utf8'));
    expect(config).toMatchObject({
      architectures: ['LlamaForCausalLM'],
      hidden_size: SMALL_SHAPE.hiddenSize,
      num_key_value_heads: SMALL_SHAPE.keyValueHeads,
      tie_word_embeddings: true,
      eos_token_id: 1,
      pad_token_id: 0,
    });
  });

  it.each(CHECKPOINT_FILES)('is refused when one bit of %s differs', async (name) => {
    const { directory } = await written();
    const path = join(directory, name);
    const content = await readFile(path);
    content[Math.floor(content.length / 2)]! ^= 1;
    await writeFile(path, content);
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it.each([...CHECKPOINT_FILES, MANIFEST_FILE])('is refused when %s is cut short or missing', async (name) => {
    const { directory } = await written();
    const path = join(directory, name);
    const { length } = await readFile(path);
    await truncate(path, length - 2);
    await expect(readModel(directory)).rejects.toThrow(damaged);
    await rm(path);
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it.each<[string, CheckpointFile, (json: Record<string, unknown>) => unknown]>([
    ['sizes of another model', 'config.json', (config) => ({ ...config, num_hidden_layers: 3 })],
    ['heads that do not divide', 'config.json', (config) => ({ ...config, num_key_value_heads: 4 })],
    ['an endless model', 'config.json', (config) => ({ ...config, num_hidden_layers: 1e9 })],
    ['another architecture', 'config.json', (config) => ({ ...config, model_type: 'gpt2' })],
    ['code to run', 'config.json', (config) => ({ ...config, auto_map: { AutoModel: 'evil.Model' } })],
    ['steps that are no number', 'training.json', (training) => ({ ...training, steps: 'many' })],
    ['a vocabulary that is too small', 'config.json', (config) => ({ ...config, vocab_size: 200 })],
  ])('is refused when it honestly carries %s', async (_, name, change) => {
    const { directory } = await written();
    const json = JSON.parse(await readFile(join(directory, name), 'utf8'));
    await replaceHonestly(directory, name, JSON.stringify(json));
    await expect(readModel(directory)).resolves.toBeDefined();
    await replaceHonestly(directory, name, JSON.stringify(change(json)));
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it('is refused when its manifest names other files', async () => {
    const { directory, manifest } = await written();
    const path = join(directory, MANIFEST_FILE);
    const [first, ...rest] = manifest.files;
    for (const files of [
      rest,
      [{ ...first, name: '../model.safetensors' }, ...rest],
      [first, first, ...rest.slice(1)],
    ]) {
      await writeFile(path, JSON.stringify({ ...manifest, files }));
      await expect(readModel(directory)).rejects.toThrow(damaged);
    }
    await writeFile(path, JSON.stringify({ ...manifest, model: '0'.repeat(20) }));
    await expect(readModel(directory)).rejects.toThrow(damaged);
  });

  it('may hold an adapter in the place of weights, which then go elsewhere', async () => {
    const { directory, manifest } = await written();
    const path = join(directory, MANIFEST_FILE);
    const fact = (name: string) => ({ name, bytes: 1, sha256: manifest.files[0]!.sha256 });
    const others = manifest.files.filter(({ name }) => name !== WEIGHTS_FILE);
    const [config, adapter] = ['adapter_config.json', 'adapter_model.safetensors'].map(fact);
    const write = (files: readonly object[]) =>
      writeFile(path, JSON.stringify({ ...manifest, model: adapter!.sha256.slice(0, 20), files }));
    await write([...others, config!, adapter!]);
    expect(await readManifest(directory)).toMatchObject({ model: adapter!.sha256.slice(0, 20) });
    await expect(readModel(directory)).rejects.toThrow(invalid);
    for (const files of [[...others, adapter!], [...others, config!], [...manifest.files, config!, adapter!], others]) {
      await write(files);
      await expect(readManifest(directory)).rejects.toThrow(damaged);
    }
  });

  it('is not written over what is there, nor from parts that do not fit', async () => {
    const { directory, manifest } = await written();
    await expect(writeCheckpoint(directory, smallCheckpoint())).rejects.toThrow(invalid);
    expect(await readManifest(directory)).toEqual(manifest);
    const checkpoint = smallCheckpoint();
    const tensors = new Map(checkpoint.tensors);
    const [name] = tensors.keys();
    const parent = await temporaryDirectory();
    const broken: [string, Map<string, { shape: readonly number[]; values: Float32Array }>][] = [
      ['missing', new Map([...tensors].slice(1))],
      ['more', new Map([...tensors, ['lm_head.weight', { shape: [1], values: Float32Array.of(1) }]])],
      ['turned', new Map([...tensors, [name!, { ...tensors.get(name!)!, shape: [1, 1] }]])],
      [
        'nan',
        new Map([...tensors, ['model.norm.weight', { shape: [96], values: new Float32Array(96).fill(Number.NaN) }]]),
      ],
    ];
    for (const [folder, parts] of broken) {
      await expect(writeCheckpoint(join(parent, folder), { ...checkpoint, tensors: parts })).rejects.toThrow(invalid);
    }
    expect(await readdir(parent)).toEqual([]);
  });

  it('leaves nothing under its name when writing fails, and what a killed writer left can be removed', async () => {
    const parent = await temporaryDirectory();
    await writeFile(join(parent, 'file'), '');
    const below = join(parent, 'file', 'model');
    await expect(writeCheckpoint(below, smallCheckpoint())).rejects.toThrow(
      expect.objectContaining({ name: 'StpError' }),
    );
    const { directory } = await written();
    await cp(directory, join(parent, 'model.partial-0123456789ab'), { recursive: true });
    await mkdir(join(parent, 'model-2'));
    await removePartialCheckpoints(join(parent, 'model'));
    expect((await readdir(parent)).sort()).toEqual(['file', 'model-2']);
  });
});
