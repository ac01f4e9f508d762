/**
 * Tests failing installations of llama.cpp, which leave nothing behind. A registry of ours answers; costs about five
 * seconds.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binariesFor, installLlamaCpp, probe, requireLlamaCpp } from '../../../infra/llama-cpp/install.ts';

const LINUX = { platform: 'linux', arch: 'x64', hasCuda: false, hasVulkan: false };

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-llama-install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Installs from a registry, with nothing in npm's cache: the error, and what is in our cache afterwards. */
async function installFrom(registry: string, cache: string | null = null) {
  const cacheDirectory = cache ?? (await temporaryFolder());
  const environment = {
    PATH: process.env.PATH,
    HOME: await temporaryFolder(),
    npm_config_registry: registry,
    npm_config_cache: await temporaryFolder(),
  };
  const said: string[] = [];
  const error = await installLlamaCpp({
    ...{ cacheDirectory, environment, machine: LINUX },
    say: (line) => said.push(line),
  }).catch((reason: unknown) => reason);
  if (!(error instanceof StpError)) throw error;
  expect(error.message).not.toContain('\n');
  return { error, said, left: await readdir(cacheDirectory) };
}

const ADDON = '@node-llama-cpp/linux-x64/bins/linux-x64/llama-addon.node';

/** A library that finds none of its binaries fit, beside one binary with these bytes. */
async function libraryBeside(binary: Uint8Array | string, modules: string): Promise<string> {
  const library = join(modules, 'node-llama-cpp');
  await mkdir(join(library, 'dist'), { recursive: true });
  await writeFile(join(library, 'package.json'), '{"type":"module"}');
  const body = 'class NoBinaryFoundError extends Error {} throw new NoBinaryFoundError("NoBinaryFoundError")';
  await writeFile(join(library, 'dist/index.js'), `export function getLlama() { ${body} }`);
  await mkdir(dirname(join(modules, ADDON)), { recursive: true });
  await writeFile(join(modules, ADDON), binary);
  return library;
}

/** A cache with what looks like a finished installation, whose binary is damaged. */
async function damagedInstallation(): Promise<string> {
  const cacheDirectory = await temporaryFolder();
  await libraryBeside('no binary', join(cacheDirectory, 'llama-cpp/node_modules'));
  const { packages } = JSON.parse(await readFile('infra/llama-cpp/lock.json', 'utf8'));
  const { version } = packages['node_modules/node-llama-cpp'];
  const record = { version, binaries: ['@node-llama-cpp/linux-x64'], device: 'processor', names: [] };
  await writeFile(join(cacheDirectory, 'llama-cpp/installed.json'), JSON.stringify(record));
  return cacheDirectory;
}

/** The beginning of this process's program, for another processor. */
async function foreignBinary(): Promise<Buffer> {
  const program = (await readFile(process.execPath)).subarray(0, 4096);
  program.writeUInt16LE(program.readUInt16LE(18) ^ 0xff, 18);
  return program;
}

/** Knows every package of the lock, and gives the same bytes for each. */
async function registryOfOtherFiles(): Promise<string> {
  const { packages } = JSON.parse(await readFile('infra/llama-cpp/lock.json', 'utf8'));
  const server = createServer(({ url = '' }, response) => {
    if (url.endsWith('.tgz')) return response.end('not what was packed');
    const name = decodeURIComponent(url.slice(1));
    const versions = Object.entries<{ version: string }>(packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, { version }]) => [version, { name, version, dist: { tarball: `${address()}/${name}.tgz` } }]);
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ name, versions: Object.fromEntries(versions) }));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return address();
}

describe('an installation of llama.cpp', () => {
  it('without a network is told in a line, and leaves nothing', async () => {
    const { error, said, left } = await installFrom('http://127.0.0.1:9/');
    expect(error).toMatchObject({
      code: 'STP1405',
      message: expect.stringMatching(/cannot be installed: .*ECONNREFUSED/),
    });
    expect(said).toEqual([expect.stringMatching(/node-llama-cpp 3\.22\.\d+ with linux-x64$/)]);
    expect(left).toEqual([]);
  });

  it('of packages with other hashes is refused, and leaves nothing', async () => {
    const { error, left } = await installFrom(await registryOfOtherFiles());
    expect(error).toMatchObject({
      code: 'STP1204',
      message: expect.stringMatching(/another hash than the one that is pinned/),
    });
    expect(left).toEqual([]);
  });

  it('waits for another one in the same cache', async () => {
    const cache = await temporaryFolder();
    const both = await Promise.all([1, 2].map(() => installFrom('http://127.0.0.1:9/', cache)));
    const said = both.map((one) => one.said.map((line) => line.split(' ', 2)[1]).join(' '));
    expect(said.sort()).toEqual(['getting', 'waiting getting']);
    expect(both.map(({ error }) => error.code)).toEqual(['STP1405', 'STP1405']);
    expect(await readdir(cache)).toEqual([]);
  });

  it('takes the binaries that the machine needs', () => {
    const locked = ['', '-cuda', '-cuda-ext', '-vulkan'].map((kind) => `@node-llama-cpp/linux-x64${kind}`);
    expect(binariesFor(LINUX, locked)).toEqual(locked.slice(0, 1));
    expect(binariesFor({ ...LINUX, hasVulkan: true }, locked)).toEqual([locked[0], locked[3]]);
    expect(binariesFor({ ...LINUX, hasVulkan: true, hasCuda: true }, locked)).toEqual(locked.slice(0, 3));
    expect(() => binariesFor({ ...LINUX, platform: 'sunos' }, locked)).toThrow(/no binary .* pinned for sunos-x64/);
  });

  it('that is missing names the command', async () => {
    const missing = requireLlamaCpp(await temporaryFolder());
    await expect(missing).rejects.toMatchObject({
      code: 'STP1301',
      message: expect.stringMatching(/it is not installed/),
      advice: expect.stringMatching(/bin\/stp setup --with llama-cpp/),
    });
  });

  it.each([
    ['ends its process', 'process.abort()', /does not run on this machine: it was ended by SIGABRT/],
    ['does not load', "throw new Error('GLIBC_2.99 not found')", /does not run on this machine: Error: GLIBC_2.99 not/],
  ])('whose binary %s is told in a line', async (_, body, problem) => {
    const library = await temporaryFolder();
    await mkdir(join(library, 'dist'));
    await writeFile(join(library, 'package.json'), '{"type":"module"}');
    await writeFile(join(library, 'dist/index.js'), `export function getLlama() { ${body} }`);
    await expect(probe(library)).rejects.toMatchObject({ code: 'STP1301', message: expect.stringMatching(problem) });
  });

  it.each([
    ['is no binary', async () => 'no binary', /llama-addon\.node is for another kind of processor, or damaged/],
    ['is for another processor', foreignBinary, /llama-addon\.node is for another kind of processor/],
  ])('whose binary %s is told with the file', async (_, binary, problem) => {
    const library = await libraryBeside(await binary(), await temporaryFolder());
    await expect(probe(library)).rejects.toMatchObject({ code: 'STP1301', message: expect.stringMatching(problem) });
  });

  it('that no longer runs is told, taken away and made anew', async () => {
    const { error, said, left } = await installFrom('http://127.0.0.1:9/', await damagedInstallation());
    expect(said).toEqual([
      expect.stringMatching(/node-llama-cpp does not run on this machine: .*llama-addon\.node is .*damaged/),
      expect.stringMatching(/getting node-llama-cpp/),
    ]);
    expect(error).toMatchObject({ code: 'STP1405' });
    expect(left).toEqual([]);
  });

  it('whose record is damaged counts as missing', async () => {
    const cacheDirectory = await damagedInstallation();
    await writeFile(join(cacheDirectory, 'llama-cpp/installed.json'), '{"version": 3');
    await expect(requireLlamaCpp(cacheDirectory)).rejects.toMatchObject({
      code: 'STP1301',
      message: expect.stringMatching(/it is not installed/),
    });
  });
});
