/** Tests that the premises of a prepared set are read once, and again if the set was made anew. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORPUS_FILE } from '@stp/datasets';
import { expect, it } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';

it('the corpus of a set is read once, and again after it was written anew', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-premises-'));
  try {
    const folder = join(directory, 'problems', 'some');
    await mkdir(folder, { recursive: true });
    const write = (path: string) =>
      writeFile(join(folder, CORPUS_FILE), `${JSON.stringify({ path, imports: [], premises: [] })}\n`);
    await write('First');
    const first = await repositorySources(directory).premises('some');
    expect(first).toEqual([{ path: 'First', imports: [], premises: [] }]);
    expect(await repositorySources(directory).premises('some')).toBe(first);
    await write('Another');
    expect(await repositorySources(directory).premises('some')).toEqual([
      { path: 'Another', imports: [], premises: [] },
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
