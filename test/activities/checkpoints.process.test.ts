/**
 * Checkpoints over the wire: several files at once, killed in both directions and resumed by another process; a reader
 * sees a whole checkpoint or none. About 10 s.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ObjectStore } from '@stp/config/records';
import { CHECKPOINT_FILES, type CheckpointFile, manifestOf } from '@stp/language-model/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchCheckpoint, storeCheckpoint, uploadsIn } from '../../activities/training/checkpoints.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { type FakeGcs, startFakeGcs } from '../fakes/gcs.ts';

const MEBIBYTE = 1 << 20;
const CHUNK_BYTES = 8 * MEBIBYTE;
/** Three large files and three small ones; their content is not weights, which does not matter here. */
const BYTES: Readonly<Record<CheckpointFile, number>> = {
  'config.json': 100,
  'generation_config.json': 0,
  'model.safetensors': 20 * MEBIBYTE + 12_345,
  'tokenizer.json': 2 * CHUNK_BYTES,
  'tokenizer_config.json': 3,
  'training.json': 17 * MEBIBYTE,
};
const ALL_BYTES = Object.values(BYTES).reduce((total, bytes) => total + bytes, 0);
const signal = new AbortController().signal;

let fake: FakeGcs;
let store: ObjectStore;
let folder: string;
let directory: string;
beforeAll(async () => {
  fake = await startFakeGcs(['bucket']);
  process.env.STP_GCS_ENDPOINT = fake.endpoint;
  store = await openStore('gs://bucket/run');
  folder = await mkdtemp(join(tmpdir(), 'stp-checkpoints-'));
  process.env.XDG_CACHE_HOME = join(folder, 'own-cache');
  directory = join(folder, 'checkpoint');
  await mkdir(directory);
  const contents = Object.fromEntries(CHECKPOINT_FILES.map((name) => [name, randomBytes(BYTES[name])]));
  for (const [name, bytes] of Object.entries(contents)) await writeFile(join(directory, name), bytes);
  const manifest = manifestOf(contents as Record<CheckpointFile, Buffer>);
  await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest));
});
afterAll(async () => {
  delete process.env.STP_GCS_ENDPOINT;
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

/** A process that stores the checkpoint and prints each heartbeat as a line. Its notes are nobody else's. */
function startStoring(name: string): ChildProcess {
  const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { storeCheckpoint } from ${module('../../activities/training/checkpoints.ts')};
    import { openStore } from ${module('../../infra/stores/open-store.ts')};
    const store = await openStore('gs://bucket/run');
    await storeCheckpoint(store, ${JSON.stringify(name)}, ${JSON.stringify(directory)}, {
      signal: new AbortController().signal,
      onProgress: (progress) => process.stdout.write(JSON.stringify(progress) + '\\n'),
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache-of-another-machine') },
  });
}

it.each([1, 3])('goes on elsewhere with a checkpoint whose process was killed after %i chunks', async (chunks) => {
  const name = `checkpoints/killed-${chunks}`;
  const start = fake.bytesReceived();
  const child = startStoring(name);
  let heartbeat: { uploads: object; bytesStored: number } = { uploads: {}, bytesStored: 0 };
  for await (const line of createInterface({ input: child.stdout! })) {
    heartbeat = JSON.parse(line);
    if (heartbeat.bytesStored >= chunks * CHUNK_BYTES) break;
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  await expect.poll(() => fake.underWay()).toBe(0);
  expect(await store.stat(`${name}/files.json`)).toBeNull();
  const before = fake.bytesReceived();
  // What a killed process has sent may be lost with it.
  expect(before - start).toBeGreaterThan((chunks - 1 / 2) * CHUNK_BYTES);
  const uploads = uploadsIn(heartbeat);
  expect(Object.keys(uploads).length).toBeGreaterThan(0);
  const checkpoint = await storeCheckpoint(store, name, directory, { signal, uploads });
  // Received parts were not sent again, except for less than a unit of 256 KiB in each file.
  expect(fake.bytesReceived() - start).toBeLessThan(ALL_BYTES + (1 << 20));
  const copy = await fetchCheckpoint(store, checkpoint, join(folder, `copy-${chunks}`));
  for (const file of await readdir(directory))
    expect((await readFile(join(copy, file))).equals(await readFile(join(directory, file)))).toBe(true);
});

it('tells of uploads while they are under way, and of none at the end', async () => {
  const seen: { files: string[]; bytesStored: number }[] = [];
  await storeCheckpoint(store, 'checkpoints/told', directory, {
    signal,
    onProgress: ({ uploads, bytesStored }) => seen.push({ files: Object.keys(uploads), bytesStored }),
  });
  // Several at once.
  expect(Math.max(...seen.map(({ files }) => files.length))).toBeGreaterThan(1);
  expect(seen.at(-1)).toMatchObject({ files: [] });
  expect(seen.at(-1)!.bytesStored).toBeGreaterThan(ALL_BYTES);
});

it('makes one copy for all who ask at once, and goes on with one that failed', async () => {
  const checkpoint = await storeCheckpoint(store, 'checkpoints/shared', directory, { signal });
  const scratch = join(folder, 'shared');
  fake.inject(/^GET .*shared%2Fmodel.safetensors.*alt=media/, { kind: 'status', status: 403 });
  await expect(fetchCheckpoint(store, checkpoint, scratch)).rejects.toMatchObject({ code: 'STP1405' });
  expect(await readdir(join(scratch, 'checkpoints'))).toEqual([expect.stringMatching(/\.partial$/)]);
  // An interrupted request may still arrive; it arrives before this one.
  await store.stat('checkpoints/shared/files.json');
  await expect.poll(() => fake.underWay()).toBe(0);
  const before = fake.bytesSent();
  const copies = await Promise.all([1, 2, 3].map(() => fetchCheckpoint(store, checkpoint, scratch)));
  expect(new Set(copies).size).toBe(1);
  expect(fake.bytesSent() - before).toBeLessThan(ALL_BYTES + 64 * 1024);
  expect((await readdir(copies[0]!)).sort()).toEqual((await readdir(directory)).sort());
});

it('takes the place of what an attempt with other bytes left without a list, and of nothing else', async () => {
  const name = 'checkpoints/left';
  await store.put(`${name}/tokenizer.json`, 'of an attempt that was lost');
  const checkpoint = await storeCheckpoint(store, name, directory, { signal });
  const copy = await fetchCheckpoint(store, checkpoint, join(folder, 'copy-left'));
  const read = (folder: string): Promise<Buffer> => readFile(join(folder, 'tokenizer.json'));
  expect((await read(copy)).equals(await read(directory))).toBe(true);
  const other = join(folder, 'other');
  await cp(directory, other, { recursive: true });
  await writeFile(join(other, 'tokenizer.json'), 'of a later attempt');
  await expect(storeCheckpoint(store, name, other, { signal })).rejects.toMatchObject({ code: 'STP1404' });
  expect(await storeCheckpoint(store, name, directory, { signal })).toEqual(checkpoint);
});

it('counts for nothing where another attempt has replaced a file meanwhile', async () => {
  const name = 'checkpoints/replaced';
  const meddled: ObjectStore = {
    ...store,
    async put(object, ...rest) {
      const ref = await store.stat(`${name}/tokenizer.json`);
      await store.remove(ref!);
      await store.put(`${name}/tokenizer.json`, 'of the other attempt');
      return store.put(object, ...rest);
    },
  };
  const storing = storeCheckpoint(meddled, name, directory, { signal });
  await expect(storing).rejects.toMatchObject({ code: 'STP1404', retryable: true });
  expect(await store.stat(`${name}/files.json`)).toBeNull();
});

it('stops when it is told to, and leaves no checkpoint behind', async () => {
  const controller = new AbortController();
  const reason = new Error('stop now');
  const storing = storeCheckpoint(store, 'checkpoints/stopped', directory, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });
  await expect(storing).rejects.toBe(reason);
  expect(await store.stat('checkpoints/stopped/files.json')).toBeNull();
});

it('finds no uploads in what is no heartbeat of a checkpoint', () => {
  for (const details of [undefined, null, 3, {}, { uploads: 7 }, { uploads: { a: { session: 'nowhere' } } }])
    expect(uploadsIn(details)).toEqual({});
});
