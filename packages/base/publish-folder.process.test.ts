/** Tests that many processes can publish a folder at once over a damaged one. Under 1 s. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isThere } from './is-there.ts';
import { publishFolder } from './publish-folder.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-publish-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function finishedFolder(name: string, files: number): Promise<string> {
  const folder = join(directory, name);
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < files; file++) await writeFile(join(folder, `part-${file}`), name);
  return folder;
}

it('replaces a damaged folder once, with a whole one, whoever publishes at the same time', async () => {
  for (let trial = 0; trial < 20; trial++) {
    const final = join(directory, `final-${trial}`);
    await mkdir(join(final, 'half'), { recursive: true });
    const finished = await Promise.all(Array.from({ length: 8 }, (_, at) => finishedFolder(`${trial}-${at}`, 5)));
    const isGood = () => isThere(join(final, 'part-4'));
    await Promise.all(finished.map((folder) => publishFolder(folder, final, isGood)));
    const names = await readdir(final);
    expect(names).toHaveLength(5);
    const texts = await Promise.all(names.map((name) => readFile(join(final, name), 'utf8')));
    expect(new Set(texts).size).toBe(1);
  }
  expect((await readdir(directory)).filter((name) => name.endsWith('.old'))).toEqual([]);
});

it('leaves a good folder as it is', async () => {
  const final = await finishedFolder('good', 1);
  const finished = await finishedFolder('late', 1);
  await publishFolder(finished, final, async () => true);
  expect(await readFile(join(final, 'part-0'), 'utf8')).toBe('good');
  expect(await isThere(finished)).toBe(true);
});

it('tells what the system says of a folder that cannot be published', async () => {
  await expect(publishFolder(join(directory, 'nowhere'), join(directory, 'x'), async () => true)).rejects.toThrow(
    'ENOENT',
  );
});
