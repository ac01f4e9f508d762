/** The verdict cache's files: what comes back, what a damaged line loses, and how large the folder may grow. */
import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCacheFiles } from './cache-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-cache-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const LIMITS = { fileBytesMax: 100, folderBytesMax: 350 };
const bodiesNow = async (): Promise<string[]> => Array.fromAsync((await openCacheFiles(directory, LIMITS)).bodies());
const bytes = async (): Promise<number> => {
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

it('give back what was written, by whomever, and pass by what is damaged', async () => {
  const [one, other] = [await openCacheFiles(directory, LIMITS), await openCacheFiles(directory, LIMITS)];
  await Promise.all([one.append('a'), other.append('b'), one.append('c')]);
  expect((await bodiesNow()).sort()).toEqual(['a', 'b', 'c']);
  const file = join(directory, (await readdir(directory))[0]!);
  await writeFile(file, (await readFile(file, 'utf8')).replace(/.\n/, 'x\n'));
  await appendFile(file, 'cut sho');
  expect(await bodiesNow()).toHaveLength(2);
  await rm(directory, { recursive: true });
  expect(await Array.fromAsync(one.bodies())).toEqual([]);
});

it('go, the oldest first, where they are too large together', async () => {
  const files = await openCacheFiles(directory, LIMITS);
  // Files of three lines; the clock of a file system may be too coarse to tell which is older.
  for (let index = 0; index < 40; index++) {
    await files.append(`line ${String(index).padStart(16, '0')}`);
    for (const name of await readdir(directory))
      if ((await readFile(join(directory, name), 'utf8')).includes(`line ${String(index).padStart(16, '0')}`))
        await utimes(join(directory, name), index, index);
    expect(await bytes()).toBeLessThanOrEqual(LIMITS.folderBytesMax + LIMITS.fileBytesMax + 100);
  }
  const left = await bodiesNow();
  expect(left.length).toBeGreaterThan(3);
  expect(left).toEqual(
    Array.from({ length: left.length }, (_, index) => `line ${String(40 - left.length + index).padStart(16, '0')}`),
  );
});
