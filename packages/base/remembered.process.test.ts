/** A finding about a program is used while nothing that it depends on has changed. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { fileMark, folderMarks, remember } from './remembered.ts';

const schema = z.strictObject({ works: z.literal(true) });
let cacheDirectory: string;

beforeAll(async () => {
  cacheDirectory = await mkdtemp(join(tmpdir(), 'stp-remembered-'));
});
afterAll(() => rm(cacheDirectory, { recursive: true, force: true }));

test('a good finding is made once for each key, a bad one each time', async () => {
  let asked = 0;
  const find = async () => ({ works: ++asked > 1 });
  const memory = { cacheDirectory, schema, key: ['a', 1] };
  expect(await remember(memory, find)).toEqual({ works: false });
  expect(await remember(memory, find)).toEqual({ works: true });
  expect(await remember(memory, find)).toEqual({ works: true });
  expect(asked).toBe(2);
  await remember({ ...memory, key: ['a', 2] }, find);
  await remember({ ...memory, anew: true }, find);
  expect(asked).toBe(4);
});

test('a damaged finding is made again, and one that cannot be kept is still told', async () => {
  const memory = { cacheDirectory, schema, key: ['damaged'] };
  const folder = join(cacheDirectory, 'remembered');
  const before = new Set(await readdir(folder));
  const find = async () => ({ works: true });
  await remember(memory, find);
  const [name] = (await readdir(folder)).filter((entry) => !before.has(entry));
  await writeFile(join(folder, name!), '{"works": "perhaps"}');
  let asked = 0;
  await remember(memory, () => {
    asked++;
    return find();
  });
  expect(asked).toBe(1);
  const file = join(cacheDirectory, 'a-file');
  await writeFile(file, '');
  expect(await remember({ ...memory, cacheDirectory: file }, find)).toEqual({ works: true });
});

test('a mark changes with the file, through links, and where a file comes or goes', async () => {
  const folder = join(cacheDirectory, 'bin');
  await mkdir(folder);
  await writeFile(join(folder, 'lean'), 'one');
  const [mark, marks] = [await fileMark(join(folder, 'lean')), await folderMarks(folder)];
  expect(await fileMark(join(folder, 'lean'))).toBe(mark);
  await writeFile(join(folder, 'lean'), 'other');
  expect(await fileMark(join(folder, 'lean'))).not.toBe(mark);
  expect(await folderMarks(folder)).not.toEqual(marks);
  expect(await fileMark(join(folder, 'lake'))).toBeNull();
  expect(await folderMarks(join(folder, 'none'))).toEqual([]);
});
