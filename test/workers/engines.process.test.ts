/** Tests that sampling engines on a machine make room for work that needs the whole machine. About 5 s. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXAMPLES, makeFreshCheckpoint, TRAINED_SHAPE as SMALL_SHAPE } from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { openStore } from '../../infra/stores/open-store.ts';
import { openEngines } from '../../workers/engines.ts';
import { markedProcesses } from '../support/processes.ts';

it('ends the sampler that is kept warm before work that wants the machine alone, and starts it anew after', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-engines-'));
  const mark = `engines-test-${process.pid}`;
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(examplesPath, EXAMPLES.map((example) => `${JSON.stringify(example)}\n`).join(''));
  await makeFreshCheckpoint({ examplesPath, shape: SMALL_SHAPE, seed: 3 }, join(directory, 'checkpoint'));
  const engines = openEngines({
    modelServer: null,
    store: () => openStore(pathToFileURL(join(directory, 'store')).href),
    scratch: async () => directory,
    runMark: () => mark,
    monitor: () => Promise.reject(new Error('no metrics here')),
    cacheDirectory: directory,
  });
  const sample = async (): Promise<string | undefined> => {
    const generator = await engines.generator('run', join(directory, 'checkpoint'), 1, new AbortController().signal);
    const requests = [{ id: 'a', prompt: '<prove>(n : Nat) : n = n<by>', seed: 1 }];
    return (await generator.sample(requests, { temperature: 1, topP: 1, maxTokens: 8 }))[0]?.text;
  };
  const text = await sample();
  expect(markedProcesses(mark)).toHaveLength(1);
  // Requests wait meanwhile.
  const order: string[] = [];
  const working = engines.alone(async () => {
    expect(markedProcesses(mark)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('alone');
  });
  const again = sample().then((same) => {
    order.push('sampled');
    return same;
  });
  await working;
  expect(await again).toBe(text);
  expect(order).toEqual(['alone', 'sampled']);
  await engines.close();
  expect(markedProcesses(mark)).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});
