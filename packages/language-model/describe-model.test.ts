/** Tests that `weights show` does not call a folder usable if its parts do not fit. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeCheckpoint } from './checkpoint/checkpoint.ts';
import { readSafetensors, writeSafetensors } from './checkpoint/safetensors.ts';
import { describeModel } from './describe-model.ts';
import { SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from './testing/small-checkpoint.ts';

/** Makes a foreign folder, without manifest and training record. */
async function folder(changes: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const directory = join(await temporaryDirectory(), 'model');
  await writeCheckpoint(directory, smallCheckpoint());
  for (const name of ['manifest.json', 'training.json']) await rm(join(directory, name));
  const path = join(directory, 'config.json');
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...changes }));
  return directory;
}

const problemsOf = async (directory: string) => {
  const { engines } = await describeModel(directory);
  return engines.filter(({ engine }) => engine === 'embedded').map(({ does, problem }) => [does, problem]);
};

it('the embedded engine samples and trains a model of other people, at a memory that is said', async () => {
  const directory = await folder();
  expect(await problemsOf(directory)).toEqual([
    ['samples', null],
    ['trains', null],
  ]);
  const { engines } = await describeModel(directory);
  const trains = engines.find(({ engine, does }) => engine === 'embedded' && does === 'trains')!;
  expect(trains.gib!).toBeGreaterThan(0.2);
  expect(trains.formula).toContain(`${SMALL_SHAPE.contextLength} tokens`);
});

it.each([
  ['a tokenizer of more tokens than the model', { vocab_size: 100 }, /the tokenizer has \d+ tokens, the model 100/],
  ["another model's tokenizer, of few tokens", { vocab_size: 2_000 }, /the tokenizer has \d+ tokens, the model 2000/],
  ['weights of other sizes', { intermediate_size: 96 }, /gate_proj\.weight is 160×96, the shape asks for 96×96/],
  ['layers without weights', { num_hidden_layers: 3 }, /layers\.2\.input_layernorm\.weight is missing/],
  ['another architecture', { model_type: 'mixtral' }, /an architecture that is not computed here/],
])('it runs no folder with %s', async (_, changes, problem) => {
  const said = expect.stringMatching(problem);
  expect(await problemsOf(await folder(changes))).toEqual([
    ['samples', said],
    ['trains', said],
  ]);
});

it('nothing runs a pickle', async () => {
  const directory = await folder();
  await cp(join(directory, 'model.safetensors'), join(directory, 'pytorch_model.bin'));
  await rm(join(directory, 'model.safetensors'));
  for (const { problem } of (await describeModel(directory)).engines)
    expect(problem).toMatch(/pytorch_model\.bin has weights as a pickle, which runs code/);
});

it('refuses weights that were cut short, as serving them does', async () => {
  const directory = await folder();
  const path = join(directory, 'model.safetensors');
  const whole = await readFile(path);
  await writeFile(path, whole.subarray(0, -100));
  await expect(describeModel(directory)).rejects.toThrow(/model\.safetensors: tensor .* runs past the end of the file/);
});

it('runs no folder with a tensor that is not part of the model', async () => {
  const directory = await folder();
  const path = join(directory, 'model.safetensors');
  const tensors = readSafetensors(await readFile(path), path);
  await writeFile(path, writeSafetensors(tensors.set('extra', { shape: [1], values: Float32Array.of(1) })));
  const said = 'tensor extra is not part of the model';
  expect(await problemsOf(directory)).toEqual([
    ['samples', said],
    ['trains', said],
  ]);
});

it('says which shard of an index is missing', async () => {
  const directory = await folder();
  const path = join(directory, 'model.safetensors');
  const names = [...readSafetensors(await readFile(path), path).keys()];
  const map = Object.fromEntries(names.map((name, at) => [name, at === 0 ? 'other.safetensors' : 'model.safetensors']));
  await writeFile(join(directory, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
  await expect(describeModel(directory)).rejects.toThrow(/other\.safetensors: it is missing/);
});

/** Writes an index in which one file has all tensors, or all but `elsewhere`, and a total size in bytes. */
async function writeIndex(directory: string, totalSize: number, elsewhere?: string): Promise<void> {
  const path = join(directory, 'model.safetensors');
  const names = [...readSafetensors(await readFile(path), path).keys()];
  const map = Object.fromEntries(
    names.map((name) => [name, name === elsewhere ? 'b.safetensors' : 'model.safetensors']),
  );
  const index = { metadata: { total_size: totalSize }, weight_map: map };
  await writeFile(join(directory, 'model.safetensors.index.json'), JSON.stringify(index));
}

it('tells weights of another precision than the index says, and nothing where they agree', async () => {
  const directory = await folder();
  const { parameters } = await describeModel(directory);
  await writeIndex(directory, 4 * parameters);
  expect((await describeModel(directory)).doubts).toEqual([]);
  await writeIndex(directory, 2 * parameters);
  const { doubts, precision } = await describeModel(directory);
  expect(precision).toEqual(['F32']);
  expect(doubts).toEqual([
    `the index says ${2 * parameters} bytes of weights, the files have ${4 * parameters}, as of another precision`,
  ]);
  // Other tools write such folders. The types in the files decide, so the engine still runs the model.
  expect(await problemsOf(directory)).toContainEqual(['samples', null]);
});

it('tells weights of another precision than the configuration says', async () => {
  expect((await describeModel(await folder({ torch_dtype: 'float32' }))).doubts).toEqual([]);
  for (const changes of [{ torch_dtype: 'bfloat16' }, { dtype: 'torch.bfloat16', torch_dtype: 'float32' }])
    expect((await describeModel(await folder(changes))).doubts).toEqual([
      'config.json says bfloat16, most weights are stored as F32',
    ]);
});

it('says of which type weights are that no engine here reads', async () => {
  const directory = await folder();
  const path = join(directory, 'model.safetensors');
  const content = await readFile(path);
  const header = content.subarray(8, 8 + Number(content.readBigUInt64LE()));
  header.write(header.toString('latin1').replaceAll('"F32"', '"I32"'), 'latin1');
  await writeFile(path, content);
  expect((await describeModel(directory)).precision).toEqual(['I32']);
  const said = 'weights of type I32, which are not read here';
  expect(await problemsOf(directory)).toEqual([
    ['samples', said],
    ['trains', said],
  ]);
});

it('refuses a tensor in another file than the index says, as serving does', async () => {
  const directory = await folder();
  const norm = 'model.norm.weight';
  await writeIndex(directory, 4, norm);
  const other = writeSafetensors(new Map([['extra', { shape: [1], values: Float32Array.of(1) }]]));
  await writeFile(join(directory, 'b.safetensors'), other);
  await expect(describeModel(directory)).rejects.toThrow(`tensor extra is in b.safetensors, where it does not belong`);
});
