/** Tests the worker's archive: equal sources give equal bytes, it contains only what runs, and it is stored once. */
import { link, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { list } from 'tar';
import { expect, it, onTestFinished } from 'vitest';
import { makeBundle, storeBundle } from '../../../infra/bootstrap/bundle.ts';
import { openStore } from '../../../infra/stores/open-store.ts';

/** A checkout with one package to run with, one for development only, and one file that Git does not know. */
async function checkout() {
  const folder = await mkdtemp(join(tmpdir(), 'stp-bundle-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const repository = join(folder, 'repository');
  const files: Record<string, string> = {
    'package.json': JSON.stringify({
      name: 'r',
      version: '1.0.0',
      workspaces: ['packages/*'],
      dependencies: { '@stp/own': '*', used: '1.0.0' },
      devDependencies: { dev: '1.0.0' },
    }),
    '.gitignore': 'node_modules/\n',
    'workers/host.ts': 'export {};\n',
    'test/a.test.ts': '\n',
    'packages/own/package.json': '{"name":"@stp/own","version":"1.0.0"}',
    'packages/own/index.ts': '\n',
    'packages/own/inner/a.process.test.ts': '\n',
    'packages/own/testing.ts': '\n',
    'packages/own/testing/helper.ts': '\n',
    'bin/stp': '#!/bin/sh\n',
    'node_modules/used/package.json': '{"name":"used","version":"1.0.0","dependencies":{"inner":"1.0.0"}}',
    'node_modules/used/index.js': 'module.exports = 1;\n',
    'node_modules/used/index.d.ts': 'export {};\n',
    'node_modules/used/node_modules/inner/package.json': '{"name":"inner","version":"1.0.0"}',
    'node_modules/dev/package.json': '{"name":"dev","version":"1.0.0"}',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(repository, name, '..'), { recursive: true });
    await writeFile(join(repository, name), text);
  }
  await mkdir(join(repository, 'node_modules/@stp'));
  await symlink('../../packages/own', join(repository, 'node_modules/@stp/own'));
  await execa('git', ['init', '--quiet'], { cwd: repository });
  await execa('git', ['add', '--all'], { cwd: repository });
  await writeFile(join(repository, 'workers/secret.env'), 'KEY=1\n');
  return { folder, repository };
}

it('holds tracked sources and packages to run with, and is the same whenever it is made', async () => {
  const { folder, repository } = await checkout();
  const [first, second] = [join(folder, 'a.tar.gz'), join(folder, 'b.tar.gz')];
  const bundle = await makeBundle(repository, first);
  const names: string[] = [];
  await list({ file: first, onReadEntry: ({ path }) => void names.push(path) });
  expect(names).toEqual([
    '.gitignore',
    'bin/stp',
    'node_modules/@stp/own',
    'node_modules/used/index.js',
    'node_modules/used/node_modules/inner/package.json',
    'node_modules/used/package.json',
    'package.json',
    'packages/own/index.ts',
    'packages/own/package.json',
    'workers/host.ts',
  ]);
  await utimes(join(repository, 'workers/host.ts'), new Date(), new Date(0));
  // As some package managers install: the same bytes, and an end.
  for (const name of ['used/index.js', 'used/package.json', 'used/node_modules/inner/package.json'])
    await link(join(repository, 'node_modules', name), join(folder, name.replaceAll('/', '-')));
  expect(await makeBundle(repository, second)).toEqual(bundle);
  expect(await readFile(second)).toEqual(await readFile(first));
  await writeFile(join(repository, 'workers/host.ts'), 'export const changed = 1;\n');
  expect((await makeBundle(repository, second)).sha256).not.toBe(bundle.sha256);
});

it('is put into a store under its checksum, once', async () => {
  const { folder, repository } = await checkout();
  const store = await openStore(pathToFileURL(join(folder, 'store')).href);
  const stored = await storeBundle(repository, store);
  expect(stored.uri).toBe(`${store.root}/bundles/worker-${stored.sha256.slice(0, 16)}.tar.gz`);
  expect((await storeBundle(repository, store)).ref).toEqual(stored.ref);
});

it('says that a folder is no checkout', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-bundle-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await expect(makeBundle(folder, join(folder, 'a.tar.gz'))).rejects.toMatchObject({ code: 'STP1002' });
});
