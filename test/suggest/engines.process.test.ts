/**
 * Tests which engines the options of `suggest serve` name: models by folder and by hub name, and the message for a
 * missing one.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tinyEncoderDecoder } from '@stp/language-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type EngineOptions, openEngines } from '../../cli/models/suggest-engines.ts';

const COMMIT = 'c0ffee'.padEnd(40, '0');
const OPTIONS: EngineOptions = {
  model: [],
  python: '/no/such/python',
  server: [],
  portfolio: false,
  numSamples: 4,
  lengthPenalty: 0,
  engineSeconds: 20,
};
const QUERY = {
  goal: { hypotheses: [], target: 'True' },
  state: '⊢ True',
  prefix: '',
  context: '',
  definitions: [],
  premises: [],
};

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'stp-engines-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return {
    directory,
    cacheDirectory: join(directory, 'cache'),
    runMark: 'test-engines',
    signal: new AbortController().signal,
  };
}

it('an encoder-decoder by its folder and by its name on the hub, once it lies in the cache', async () => {
  const folder = await tinyEncoderDecoder();
  const here = await setUp();
  const weights = join(here.cacheDirectory, 'weights', `hf-someone--tacgen@${COMMIT}`);
  await mkdir(weights, { recursive: true });
  await cp(folder, join(weights, 'files'), { recursive: true });
  const record = { name: `hf://someone/tacgen@${COMMIT}`, licence: 'mit', sha256: '0'.repeat(64) };
  await writeFile(join(weights, 'weights.json'), JSON.stringify(record));
  const names = [folder, 'someone/tacgen', 'hf://someone/tacgen', `someone/tacgen@${COMMIT}`];
  const engines = await openEngines({ ...OPTIONS, model: names.slice(0, 3), hfModel: names[3]! }, here);
  onTestFinished(() => Promise.all(engines.map((one) => one.close())).then(() => {}));
  expect(engines.map(({ name }) => name)).toEqual(names);
  const proposals = await Promise.all(engines.map((one) => one.propose(QUERY, new AbortController().signal)));
  for (const one of proposals) expect(one.slice(0, 2).map(({ text }) => text)).toEqual(['rfl', 'simp']);
});

it('says so of a model that is not here, and asks the hub for none', async () => {
  const here = await setUp();
  const problem = (options: Partial<EngineOptions>) =>
    openEngines({ ...OPTIONS, ...options }, here).then(
      () => null,
      ({ code, message, advice }) => ({ code, message, advice }),
    );
  for (const name of ['someone/tacgen', 'hf://someone/tacgen', `hf://someone/tacgen@${COMMIT}`])
    expect(await problem({ hfModel: name })).toEqual({
      code: 'STP1002',
      message: expect.stringMatching(
        /^hf:\/\/someone\/tacgen\S* is not on this machine, and nothing is downloaded unasked$/u,
      ),
      advice: expect.stringContaining('--fetch'),
    });
  // Asked for, it is looked for with the Python that is named.
  expect(await problem({ hfModel: 'someone/tacgen', fetch: true })).toMatchObject({
    code: 'STP1301',
    message: expect.stringContaining('the hub did not answer'),
  });
  expect(await problem({ model: ['runs/none@3'] })).toMatchObject({ code: 'STP1002' });
  expect(await problem({})).toMatchObject({ code: 'STP1002' });
});
