/** What `weights show` says of a folder whose parts do not fit: not that an engine runs it. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeCheckpoint } from './checkpoint/checkpoint.ts';
import { describeModel } from './describe-model.ts';
import { SMALL_SHAPE, smallCheckpoint, temporaryDirectory } from './testing/small-checkpoint.ts';

/** A folder of other people: without manifest and training record. */
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
