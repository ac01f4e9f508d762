/**
 * The probe fails closed: each protection is removed in turn and the probe must notice; a program that calls itself
 * bwrap and protects nothing is refused. Skipped with a printed reason if bubblewrap is not available. Some ten
 * seconds.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { script } from '../../testing/drivers.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { fetchBubblewrap, findBubblewrap } from './find-bubblewrap.ts';
import { openSandbox } from './open-sandbox.ts';
import { probeSandbox } from './probe.ts';
import type { Sandbox } from './sandbox.ts';

const environment = await coreEnvironment();
const found = await machineSandbox(environment);
const whole = found as Sandbox;
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  delete process.env.STP_BWRAP;
});

/** The sandbox with another command line. */
function changed(change: (words: readonly string[]) => readonly string[]): Sandbox {
  return { ...whole, wrap: (command, access) => change(whole.wrap(command, access)) };
}

function without(words: readonly string[], ...run: readonly string[]): string[] {
  const at = words.findIndex((_, index) => run.every((word, offset) => words[index + offset] === word));
  if (at < 0) throw new Error(`${run.join(' ')} is not in the command line`);
  return [...words.slice(0, at), ...words.slice(at + run.length)];
}

/** After `--dev /dev`, so that it covers nothing that is made later. */
function withMount(words: readonly string[], ...mount: readonly string[]): string[] {
  const at = words.indexOf('--remount-ro');
  return [...words.slice(0, at), ...mount, ...words.slice(at)];
}

describe.skipIf(found === null)('the probe', () => {
  test('finds nothing wrong with the whole sandbox', async () => {
    expect(await probeSandbox(whole, environment)).toEqual([]);
  });

  test.each<[string, RegExp, (words: readonly string[]) => readonly string[]]>([
    ['no network of its own', /server on this machine can be reached/, (words) => without(words, '--unshare-net')],
    ['no IPC of its own', /namespaces are those outside: ipc/, (words) => without(words, '--unshare-ipc')],
    [
      'no host name of its own',
      /namespaces are those outside: uts/,
      (words) => without(without(words, '--unshare-uts'), '--hostname', 'lean'),
    ],
    ['a root that can be written', /files can be made in \//, (words) => without(words, '--remount-ro', '/')],
    [
      'no filter of system calls',
      /filter of system calls is not in force/,
      (words) => without(words, '--seccomp', '9'),
    ],
    ['a /tmp that is that of all', /a file outside can be read/, (words) => withMount(words, '--bind', '/tmp', '/tmp')],
    [
      'the processes of the machine',
      /processes can be seen|variables can be read/,
      (words) => withMount(words, '--bind', '/proc', '/proc'),
    ],
    [
      'a variable nobody gave',
      /variables can be read that nobody gave it: A_SECRET/,
      (words) => withMount(words, '--setenv', 'A_SECRET', '1'),
    ],
  ])('notices %s', async (_, problem, change) => {
    expect((await probeSandbox(changed(change), environment)).join('; ')).toMatch(problem);
  });

  test('notices that processes in it cannot be found by their mark', async () => {
    const unmarked = changed((words) => withMount(words, '--unsetenv', 'STP_RUN_MARK'));
    // Bubblewrap's own first two processes still carry it.
    expect((await probeSandbox(unmarked, environment)).join()).toMatch(/do not carry the run mark/);
  });

  test('notices that Lean does not start', async () => {
    const nowhere = { executable: join(folder, 'no-lean'), searchPath: [] };
    expect((await probeSandbox(whole, nowhere)).join()).toMatch(/Lean does not work in it/);
  });
});

describe.skipIf(process.platform !== 'linux')('a sandbox is', () => {
  const options = { cacheDirectory: join(folder, 'cache'), environment, install: 'never' as const };

  test('refused with STP1205 where it is required and cannot be had, and left out loudly where that is allowed', async () => {
    process.env.STP_BWRAP = join(folder, 'no-bwrap');
    await expect(openSandbox('required', options)).rejects.toMatchObject({ code: 'STP1205' });
    const lines: string[] = [];
    const { facts } = await openSandbox('where-available', { ...options, onProgress: (line) => lines.push(line) });
    expect(facts).toEqual({ kind: 'none', description: expect.stringContaining('no such program') });
    expect(lines).toEqual([expect.stringContaining('Lean runs without a sandbox')]);
    expect((await openSandbox('off', options)).facts).toEqual({
      kind: 'none',
      description: 'switched off by the configuration',
    });
  });

  test('not half there where the package cannot be got, nor where its manager is another', async () => {
    const tools = join(folder, 'tools');
    mkdirSync(tools);
    const environmentOfTools = { PATH: tools };
    const fetching = { cacheDirectory: join(folder, 'fetched'), environment: environmentOfTools };
    expect(await fetchBubblewrap(fetching)).toEqual({ problem: expect.stringContaining('there is no apt-get') });
    for (const name of ['apt-get', 'dpkg-deb']) {
      writeFileSync(join(tools, name), '#!/bin/sh\necho "Error: no route" >&2\nexit 100\n');
      chmodSync(join(tools, name), 0o755);
    }
    expect(await fetchBubblewrap(fetching)).toEqual({ problem: expect.stringContaining('no route') });
    expect(readdirSync(join(folder, 'fetched', 'lean'))).toEqual([]);
  });

  test('fetched once by all who want it at the same time', async () => {
    const tools = join(folder, 'package-tools');
    mkdirSync(tools);
    const bwrap = '#!/bin/sh\necho bubblewrap 9.9.9 --size --seccomp --cap-drop --die-with-parent';
    const scripts = {
      'apt-get': `echo got >>'${tools}/log'; echo package >bubblewrap_9.9.9.deb`,
      'dpkg-deb': `/bin/mkdir -p "$3/usr/bin"; echo '${bwrap}' >"$3/usr/bin/bwrap"; /bin/chmod +x "$3/usr/bin/bwrap"`,
    };
    for (const [name, text] of Object.entries(scripts)) script(tools, name, text);
    const fetching = { cacheDirectory: join(folder, 'fetched-once'), environment: { PATH: tools } };
    const all = await Promise.all([1, 2, 3].map(() => fetchBubblewrap(fetching)));
    expect(all).toEqual(all.map(() => ({ found: expect.objectContaining({ version: '9.9.9' }) })));
    expect(readFileSync(join(tools, 'log'), 'utf8')).toBe('got\n');
  });

  test('refused where a program only calls itself bwrap', async () => {
    const path = join(folder, 'bwrap');
    writeFileSync(
      path,
      `#!/bin/sh
case "$1" in
  --version) echo 'bubblewrap 9.9.9'; exit ;;
  --help) echo '--size --seccomp --cap-drop --die-with-parent'; exit ;;
esac
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`,
    );
    chmodSync(path, 0o755);
    process.env.STP_BWRAP = path;
    const refused = openSandbox('required', options);
    await expect(refused).rejects.toMatchObject({ code: 'STP1205' });
    await expect(refused).rejects.toThrow(/a file outside can be read/);
    await expect(refused).rejects.toThrow(/namespaces are those outside: user, pid, net, ipc, uts, mnt/);
  });

  test('not taken from a bubblewrap that is too old, nor from a path that is not absolute', async () => {
    const path = join(folder, 'old-bwrap');
    writeFileSync(path, '#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 0.4.1"\necho "--seccomp"\n');
    chmodSync(path, 0o755);
    process.env.STP_BWRAP = path;
    expect(await findBubblewrap({ cacheDirectory: options.cacheDirectory })).toEqual({
      problem: expect.stringContaining('0.4.1 has no --size'),
    });
    process.env.STP_BWRAP = 'bwrap';
    expect(await findBubblewrap({ cacheDirectory: options.cacheDirectory })).toEqual({
      problem: expect.stringContaining('not an absolute path'),
    });
  });
});
