/** States of a training in a store: complete or absent, the newer of two, of one machine or of several. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ObjectStore } from '@stp/config/records';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type StatePart, TrainingStates } from '../../activities/training/training-states.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { startFakeGcs } from '../fakes/gcs.ts';

const NAME = 'checkpoints/round-1-0a1b2c3d';
const [ID, OTHER_ID] = ['0123456789ab', 'ba9876543210'];
const { signal } = new AbortController();

async function bucket(): Promise<ObjectStore> {
  const fake = await startFakeGcs(['bucket']);
  vi.stubEnv('STP_GCS_ENDPOINT', fake.endpoint);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await fake.close();
  });
  return openStore('gs://bucket/run');
}

async function setUp(kind = 'folder') {
  const directory = await mkdtemp(join(tmpdir(), 'stp-states-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const inFolder = () => openStore(pathToFileURL(join(directory, 'store')).href);
  const store = kind === 'bucket' ? await bucket() : await inFolder();
  const states = new TrainingStates(store, NAME);
  /** Keeps and copies a state whose files say what they are. */
  const copy = async (step: number, part: StatePart = { node: 0, nodes: 1 }, id = ID, over: ObjectStore = store) => {
    const own = join(directory, `node-${part.node}`);
    const files = [`step-${step}/rank-${part.node}.safetensors`, `step-${step}/state.json`];
    await mkdir(join(own, `step-${step}`), { recursive: true });
    for (const file of files) await writeFile(join(own, file), `${file} by ${id}`);
    await new TrainingStates(over, NAME).copy({ step, files }, own, { ...part, id }, signal);
  };
  let fetched = 0;
  const newFolder = () => join(directory, 'fetched', String(fetched++), 'state');
  const names = async () => {
    const found: string[] = [];
    for await (const { name } of store.list(`${NAME}/state/`)) found.push(name.slice(`${NAME}/state/`.length));
    return found;
  };
  const pathOf = (name: string) => join(directory, 'store', NAME, 'state', name);
  return { directory, store, states, copy, newFolder, names, pathOf };
}

it.each(['folder', 'bucket'])('keeps the newest two in a %s, gives the newest, and none at the end', async (kind) => {
  const { states, copy, newFolder, names, directory } = await setUp(kind);
  const folder = newFolder();
  expect(await states.fetchNewest(folder, signal)).toBeNull();
  for (const step of [9, 10, 120]) await copy(step);
  expect(await names()).toEqual(
    ['step-000000010', 'step-000000120'].flatMap((step) =>
      [
        `node-0+step-${Number(step.slice(5))}+rank-0.safetensors`,
        `node-0+step-${Number(step.slice(5))}+state.json`,
        'node-0.json',
        'whole.json',
      ].map((rest) => `${step}.${ID}.${rest}`),
    ),
  );
  expect(await states.fetchNewest(folder, signal)).toBe(`step-000000120.${ID}`);
  expect(await readdir(folder)).toEqual(['step-120']);
  expect(await readFile(join(folder, 'step-120', 'state.json'), 'utf8')).toBe(`step-120/state.json by ${ID}`);
  // No other files remain, neither of the download nor of the copy.
  expect(await readdir(join(folder, '..'))).toEqual(['state']);
  expect(await readdir(directory)).not.toContain('node-0.copying');
  await states.drop();
  expect(await names()).toEqual([]);
});

it('a copy that was cut off is never taken, and goes with the next whole one', async () => {
  const { store, states, copy, newFolder, names } = await setUp();
  await copy(5);
  for (const cutAt of ['rank-0.safetensors', 'node-0.json', 'whole.json']) {
    const cut = async (name: string) => {
      if (name.endsWith(cutAt)) throw new Error('the machine was taken away');
    };
    const over: ObjectStore = {
      ...store,
      put: async (name, ...rest) => cut(name).then(() => store.put(name, ...rest)),
      putFile: async (name, ...rest) => cut(name).then(() => store.putFile(name, ...rest)),
    };
    await expect(copy(6, undefined, OTHER_ID, over)).rejects.toThrow('the machine was taken away');
    expect(await states.newest()).toBe(`step-000000005.${ID}`);
  }
  expect((await names()).some((name) => name.startsWith('step-000000006'))).toBe(true);
  expect(await states.fetchNewest(newFolder(), signal)).toBe(`step-000000005.${ID}`);
  await copy(7);
  expect(new Set((await names()).map((name) => name.split('.')[0]))).toEqual(
    new Set(['step-000000005', 'step-000000007']),
  );
});

it('the same step of two attempts are two states', async () => {
  const { states, copy, newFolder } = await setUp();
  await copy(5);
  await copy(5, undefined, OTHER_ID);
  const folder = newFolder();
  await states.fetchNewest(folder, signal);
  const by = (await readFile(join(folder, 'step-5', 'state.json'), 'utf8')).split(' by ')[1];
  expect(await readFile(join(folder, 'step-5', 'rank-0.safetensors'), 'utf8')).toBe(
    `step-5/rank-0.safetensors by ${by}`,
  );
});

it.each(['altered', 'cut short', 'gone'])('the one before is taken where a file of the newest is %s', async (how) => {
  const { states, copy, newFolder, pathOf } = await setUp();
  await copy(5);
  await copy(6);
  const path = pathOf(`step-000000006.${ID}.node-0+step-6+rank-0.safetensors`);
  const text = await readFile(path, 'utf8');
  if (how === 'gone') await rm(path);
  else await writeFile(path, how === 'altered' ? text.replace('rank', 'RANK') : text.slice(1));
  const folder = newFolder();
  expect(await states.fetchNewest(folder, signal)).toBe(`step-000000005.${ID}`);
  expect(await readdir(folder)).toEqual(['step-5']);
});

it.each(['folder', 'bucket'])(
  'of several machines is whole in a %s when all have copied, and is fetched with the files of all',
  async (kind) => {
    const { states, copy, newFolder, names } = await setUp(kind);
    await copy(5, { node: 1, nodes: 2 });
    expect(await states.newest()).toBeNull();
    await copy(5, { node: 0, nodes: 2 });
    // The second machine is slower: a state is incomplete until that machine has copied its part.
    await copy(8, { node: 0, nodes: 2 });
    const newest = await states.newest();
    expect(newest).toBe(`step-000000005.${ID}`);
    const folder = newFolder();
    expect(await states.fetch(newest!, folder, signal)).toBe(true);
    expect(await readdir(join(folder, 'step-5'))).toEqual(['rank-0.safetensors', 'rank-1.safetensors', 'state.json']);
    await copy(8, { node: 1, nodes: 2 });
    expect(await states.newest()).toBe(`step-000000008.${ID}`);
    await states.discard(`step-000000008.${ID}`);
    expect(await states.newest()).toBe(`step-000000005.${ID}`);
    expect((await names()).length).toBeGreaterThan(8);
  },
);
