/** Record files over a real folder: damaged ones are never taken for data, and finished work is not done twice. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import type { ObjectStore } from '@stp/config/records';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { once, readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';

const schema = z.strictObject({ n: z.number() });
let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-records-test-'));
  store = await openStore(pathToFileURL(directory).href);
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(directory, { recursive: true, force: true });
});

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof StpError ? error.code : String(error)),
  );

it('come back in order, counted', async () => {
  async function* records() {
    for (let n = 0; n < 10_000; n++) yield { n };
  }
  const ref = await writeRecords(store, 'a/b.jsonl', records());
  expect(ref.count).toBe(10_000);
  expect(await readAll(store, ref, schema)).toEqual(Array.from({ length: 10_000 }, (_, n) => ({ n })));
  expect(await readAll(store, await writeRecords(store, 'empty.jsonl', []), schema)).toEqual([]);
});

it.each([
  ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
  ['altered in one digit', (bytes: Buffer) => Buffer.from(bytes.toString().replace('7', '8'))],
  ['empty', () => Buffer.alloc(0)],
])('that are %s are refused', async (_, damage) => {
  const ref = await writeRecords(store, 'r.jsonl', [{ n: 7 }, { n: 1 }]);
  const path = fileURLToPath(ref.uri);
  await writeFile(path, damage(await readFile(path)));
  expect(await code(readAll(store, ref, schema))).toMatch(/^STP140[23]$/);
});

it('name the line that does not fit', async () => {
  const ref = await store.put('bad.jsonl', '{"n":1}\n{"m":2}\n');
  const error = await readAll(store, ref, schema).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'STP1402', message: expect.stringContaining('line 2') });
});

it('refuse a line without end', async () => {
  const ref = await store.put('long.jsonl', `{"n":${'1'.repeat(400_000)}}\n`);
  expect(await code(readAll(store, ref, schema))).toBe('STP1402');
});

it('make work happen once, and again only when nothing was finished', async () => {
  let runs = 0;
  const work = (fails: boolean) =>
    once(store, 'done.json', schema, async () => {
      runs++;
      if (fails) throw new Error('half way');
      return { n: runs };
    });
  await expect(work(true)).rejects.toThrow('half way');
  expect(await work(false)).toEqual({ n: 2 });
  expect(await work(false)).toEqual({ n: 2 });
  expect(runs).toBe(2);
});

it('make a race for the same result harmless: the second returns the result of the first', async () => {
  const result = await once(store, 'race.json', schema, async () => {
    await store.put('race.json', '{"n":1}\n');
    return { n: 2 };
  });
  expect(result).toEqual({ n: 1 });
  const work = once(store, 'other.json', schema, async () => {
    await store.put('part.jsonl', 'first');
    await store.put('part.jsonl', 'second');
    return { n: 1 };
  });
  expect(await code(work)).toBe('STP1404');
});

it('leave no temporary files behind', async () => {
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  vi.stubEnv('TMPDIR', temporary);
  const left = async function* () {
    yield { n: (await readdir(temporary)).length };
  };
  const ref = await writeRecords(store, 'x.jsonl', left());
  expect(await readAll(store, ref, schema)).toEqual([{ n: 1 }]);
  expect(await readdir(temporary)).toEqual([]);
});
