/** Tests what a run reads from the data folder beside its statements: premises and a ranker of actions. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORPUS_FILE } from '@stp/datasets';
import { ActionRanker } from '@stp/selfplay';
import { expect, it, onTestFinished } from 'vitest';
import { repositorySources } from '../../workers/sources.ts';

async function dataFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-sources-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

it('the corpus of a set is read once, and again after it was written anew', async () => {
  const directory = await dataFolder();
  const folder = join(directory, 'problems', 'some');
  await mkdir(folder, { recursive: true });
  const write = (path: string) =>
    writeFile(join(folder, CORPUS_FILE), `${JSON.stringify({ path, imports: [], premises: [] })}\n`);
  await write('First');
  const first = await repositorySources(directory).premises('some');
  expect(first).toEqual([{ path: 'First', imports: [], premises: [] }]);
  expect(await repositorySources(directory).premises('some')).toBe(first);
  await write('Another');
  expect(await repositorySources(directory).premises('some')).toEqual([{ path: 'Another', imports: [], premises: [] }]);
});

it('a ranker is read from the data folder; one that is missing or damaged is refused, with the names of others', async () => {
  const directory = await dataFolder();
  const { ranker } = repositorySources(directory);
  await mkdir(join(directory, 'rankers'));
  const weights = ActionRanker.trained([], 1).weights();
  const write = (name: string, bytes: Uint8Array) => writeFile(join(directory, 'rankers', `${name}.bin`), bytes);
  await write('mine', weights);
  await write('cut', weights.subarray(1));
  expect(await ranker('mine')).toEqual(weights);
  const refused = (name: string, code: string, message: RegExp) =>
    expect(ranker(name)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await refused('cut', 'STP1501', /cut\.bin is no ranker of actions: .*bytes/u);
  await refused('mime', 'STP1002', /no ranker of actions mime \(did you mean mine/u);
});
