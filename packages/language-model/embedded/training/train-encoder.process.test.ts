/** Contrastive training of a small checkpoint: queries find their matches afterwards. Some seconds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readModel } from '../../checkpoint/model-folder.ts';
import { SMALL_SHAPE } from '../../testing/small-model.ts';
import { embeddedGenerator } from '../engine.ts';
import { trainInProcess } from './train.ts';
import { type EncoderPair, trainEncoder } from './train-encoder.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const NAMES = ['rev', 'len', 'app', 'zip', 'map', 'sum', 'max', 'sort'];
/** A query names its match by a word that the match spells differently, so only training can relate them. */
const PAIRS: readonly EncoderPair[] = NAMES.map((name, index) => ({
  query: `⊢ goal ${index}`,
  match: `theorem about ${name}`,
  key: name,
  positives: new Set([name]),
}));

let directory: string;
let start: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-encoder-'));
  start = join(directory, 'start');
  const examplesPath = join(directory, 'examples.jsonl');
  const examples = PAIRS.map(({ query, match }) => ({
    prompt: `<prove>${query}<by>`,
    target: match,
    weight: 1,
    role: 'prover',
  }));
  await writeFile(examplesPath, examples.map((example) => `${JSON.stringify(example)}\n`).join(''));
  await trainInProcess({
    examplesPath,
    initDirectory: null,
    shape: SMALL_SHAPE,
    outputDirectory: start,
    steps: 2,
    tokensPerStep: 200,
    learningRate: 1e-3,
    warmupSteps: 1,
    schedule: 'constant',
    weightDecay: 0,
    gradientClipNorm: 1,
    seed: 1,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: 2,
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Counts the queries whose own match is the nearest of all. */
async function hits(checkpoint: string): Promise<number> {
  const engine = await embeddedGenerator({ threads: 1 })(checkpoint);
  const queries = await engine.embed(PAIRS.map(({ query }) => query));
  const matches = await engine.embed(PAIRS.map(({ match }) => match));
  await engine.close();
  const cosine = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, index) => sum + value * b[index]!, 0);
  return queries.filter((query, own) => {
    const scores = matches.map((match) => cosine(query, match));
    return scores.indexOf(Math.max(...scores)) === own;
  }).length;
}

const request = (name: string, steps: number) => ({
  pairs: PAIRS,
  initDirectory: start,
  outputDirectory: join(directory, name),
  steps,
  batch: PAIRS.length,
  learningRate: 1e-2,
  seed: 1,
  threads: 1,
});

it('brings queries to their matches, as `embed` sees them', async () => {
  const before = await hits(start);
  const { finalLoss } = await trainEncoder(request('trained', 80));
  expect(finalLoss).toBeLessThan(0.3);
  expect(await hits(join(directory, 'trained'))).toBe(PAIRS.length);
  expect(before).toBeLessThan(PAIRS.length);
  expect((await readModel(join(directory, 'trained'))).training).toMatchObject({
    steps: 80,
    parent: (await readModel(start)).model,
  });
});

it('gives the same weights again', async () => {
  for (const name of ['once', 'again']) await trainEncoder(request(name, 3));
  const [once, again] = await Promise.all(['once', 'again'].map((name) => readModel(join(directory, name))));
  expect(once!.model).toBe(again!.model);
});

it('refuses pairs that give no batch without a clash', async () => {
  const same = PAIRS.map((pair) => ({ ...pair, key: 'rev', positives: new Set(['rev']) }));
  await expect(trainEncoder({ ...request('none', 1), pairs: same })).rejects.toMatchObject({ code: 'STP1501' });
});
