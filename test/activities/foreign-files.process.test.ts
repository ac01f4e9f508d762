/** Files that another program wrote into a store, fetched and removed: in a folder, and in a fake bucket. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ObjectStore } from '@stp/config/records';
import { expect, it, onTestFinished } from 'vitest';
import { fetchForeign, removeForeign, rootOf } from '../../activities/training/foreign-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { startFakeGcs } from '../fakes/gcs.ts';

const FILES = { 'state/step-4/metadata.json': '{}', 'state/step-4/d/part-0': 'weights', 'state-of-others': 'kept' };
const { signal } = new AbortController();

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stp-foreign-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Files that no store has written, below `training`. */
async function inFolder(): Promise<ObjectStore> {
  const root = await folder();
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(root, 'training', name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
  }
  return openStore(pathToFileURL(root).href);
}

async function inBucket(): Promise<ObjectStore> {
  const fake = await startFakeGcs(['bucket']);
  process.env.STP_GCS_ENDPOINT = fake.endpoint;
  onTestFinished(async () => {
    delete process.env.STP_GCS_ENDPOINT;
    await fake.close();
  });
  const store = await openStore('gs://bucket/run');
  for (const [name, text] of Object.entries(FILES)) await store.put(`training/${name}`, text);
  return store;
}

/** A folder's store does not list what others have written. */
const leftInFolder = (store: ObjectStore): Promise<string[]> => readdir(join(rootOf(store), 'training'));
const leftInBucket = async (store: ObjectStore): Promise<string[]> =>
  (await Array.fromAsync(store.list('training/'))).map(({ name }) => name.slice('training/'.length));

it.each([
  ['a folder', inFolder, leftInFolder],
  ['a bucket', inBucket, leftInBucket],
])('in %s', async (_, open, left) => {
  const store = await open();
  expect(rootOf(store)).toBe(store.root.replace('file://', ''));
  const fetched = await fetchForeign(store, 'training/state', join(await folder(), 'fetched'), signal);
  expect(await readFile(join(fetched, 'step-4', 'metadata.json'), 'utf8')).toBe('{}');
  expect(await readFile(join(fetched, 'step-4', 'd', 'part-0'), 'utf8')).toBe('weights');

  for (let times = 0; times < 2; times += 1) {
    await removeForeign(store, 'training/state', signal);
    expect(await left(store)).toEqual(['state-of-others']);
  }
});
