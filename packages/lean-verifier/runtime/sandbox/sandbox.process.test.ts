/**
 * Attacks on the sandbox by programs in place of Lean (the assembled Lean can run no new code), started by the function that
 * starts Lean. Skipped with a printed reason where bubblewrap cannot be had or may not make namespaces. Some ten seconds.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../../../test/support/processes.ts';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { checkFile } from '../../trust/check-file.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { openControlGroup } from '../process/cgroup.ts';
import { type LeanExit, type StartOptions, startLean } from '../process/spawn.ts';
import type { Sandbox } from './sandbox.ts';

const environment: LeanEnvironment = await coreEnvironment();
const found = await machineSandbox(environment);
const sandbox = found as Sandbox;
const folder = scratchFolder();
const inside = join(folder, 'inside');
const store = join(folder, 'runs', 'a-run');
const secret = join(store, 'summary.json');
const server = createServer((socket) => socket.end('a secret of the machine'));

beforeAll(async () => {
  mkdirSync(inside);
  mkdirSync(store, { recursive: true });
  writeFileSync(secret, 'the run');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended extends LeanExit {
  readonly output: string;
}

/** Runs a program as Lean would run; `inside` is the one folder that it may write to. */
async function attack(program: string, words: readonly string[], options: Partial<StartOptions> = {}): Promise<Ended> {
  const child = startLean({
    environment,
    workingDirectory: inside,
    sandbox,
    program,
    arguments: words,
    writable: [inside],
    memoryBytesMax: 1_000_000_000,
    ...options,
  });
  if (!('pid' in child)) return { ...child, output: '' };
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  child.stdin.end();
  return { ...(await child.ended), output };
}

const shell = (script: string, options?: Partial<StartOptions>): Promise<Ended> =>
  attack('/bin/sh', ['-c', script], options);
const python = (script: string, options?: Partial<StartOptions>): Promise<Ended> =>
  attack('/usr/bin/python3', ['-c', script], options);
const hasPython = existsSync('/usr/bin/python3');

describe.skipIf(found === null)('a program in the sandbox', () => {
  test('reads nothing that it was not shown: no store, no home, no password, not by way of a link', async () => {
    symlinkSync(secret, join(inside, 'link'));
    const paths = [
      secret,
      join(inside, 'link'),
      '/etc/passwd',
      '/etc/shadow',
      '/etc/resolv.conf',
      `/proc/1/root${secret}`,
      join(process.cwd(), 'package.json'),
    ];
    const read = paths.map((path) => `cat ${path} 2>/dev/null && echo "read ${path}"`);
    const { output } = await shell(`${read.join('; ')}; ls -A /root /home ${store} 2>/dev/null; true`);
    expect(readFileSync(join(inside, 'link'), 'utf8')).toBe('the run');
    expect(output.trim()).toBe('');
  });

  test('writes to its own folder and its /tmp alone', async () => {
    const folders = [
      '/',
      '/usr/bin',
      '/lib',
      '/dev',
      '/dev/shm',
      '/proc/sys/kernel',
      '/etc',
      folder,
      store,
      process.cwd(),
    ];
    const write = folders.map((folder) => `echo x 2>/dev/null >${folder}/stp-attack && echo "wrote ${folder}"`);
    const { output } = await shell(
      `{ ${write.join('; ')}; } 2>/dev/null; echo x >/tmp/own && echo x >own && echo both`,
    );
    // Folders above its own, and above the toolchain, exist inside its /tmp where they do outside, as private ones.
    const isPrivate = (line: string): boolean => line.startsWith('wrote /tmp/');
    expect(output.split('\n').filter((line) => !isPrivate(line))).toEqual(['both', '']);
    expect(folders.filter((folder) => existsSync(join(folder, 'stp-attack')))).toEqual([]);
    expect(existsSync(join(inside, 'own'))).toBe(true);
  });

  test('leaves the kernel its switches, even where root outside is root inside', async () => {
    const before = readFileSync('/proc/sys/kernel/printk', 'utf8');
    const { output } = await shell('echo "1 1 1 1" 2>/dev/null >/proc/sys/kernel/printk && echo changed; true');
    expect(output).toBe('');
    expect(readFileSync('/proc/sys/kernel/printk', 'utf8')).toBe(before);
  });

  test('reaches neither a server of this machine nor the metadata server', async () => {
    const { port } = server.address() as AddressInfo;
    const script = `
      const { connect } = require('node:net');
      const reach = (host, port) => new Promise((resolve) => {
        const socket = connect({ host, port, timeout: 30_000 });
        socket.on('connect', () => resolve('reached ' + host)).on('error', (error) => resolve(error.code));
        socket.on('timeout', () => resolve('timeout'));
      });
      Promise.all([reach('127.0.0.1', ${port}), reach('169.254.169.254', 80)]).then((all) => {
        console.log(all.join(' ')); process.exit(0);
      });`;
    const { output } = await attack(process.execPath, ['-e', script]);
    expect(output.trim()).toBe('ECONNREFUSED ENETUNREACH');
  });

  test('sees no process but its own and no variable but those it was given', async () => {
    process.env.STP_TEST_SECRET = 'do not pass on';
    const { output } = await shell(
      'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | cut -d= -f1 | sort -u; ls -d /proc/[0-9]*',
      {
        runMark: 'a-mark',
      },
    );
    delete process.env.STP_TEST_SECRET;
    const lines = output.trim().split('\n');
    const allowed =
      /^(PATH|HOME|TMPDIR|LANG|LC_ALL|PWD|OLDPWD|SHLVL|_|STP_RUN_MARK|LD_PRELOAD|_STDBUF_[A-Z]|ELAN_\w+|LD_LIBRARY_PATH)$/;
    expect(lines.filter((line) => !line.startsWith('/proc/') && !allowed.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('/proc/')).length).toBeLessThan(16);
  });

  test('cannot harm who started it', async () => {
    const { how } = await shell(`kill -9 ${process.pid}; kill -9 -1; kill -9 1; true`);
    expect(['finished', 'crashed']).toContain(how);
  });

  test.skipIf(!hasPython)(
    'is refused the calls that look into processes, make namespaces and talk to the kernel',
    async () => {
      const calls = {
        ptrace: 101,
        process_vm_readv: 310,
        bpf: 321,
        keyctl: 250,
        userfaultfd: 323,
        unshare: 272,
        mount: 165,
      };
      const script = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for name, number in ${JSON.stringify(calls)}.items():
    ctypes.set_errno(0)
    answer = libc.syscall(number, 0x10000000 if name == 'unshare' else 16, ${process.pid}, 0, 0, 0, 0)
    print(name, answer, ctypes.get_errno())
`;
      if (process.arch !== 'x64') return;
      const { output } = await python(script);
      expect(output.trim().split('\n')).toEqual(Object.keys(calls).map((name) => `${name} -1 1`));
    },
  );

  test('has a /tmp and files of a bounded size', async () => {
    const fill = await shell('dd if=/dev/zero of=/tmp/fill bs=1M count=200 2>/dev/null; du -m /tmp/fill | cut -f1');
    expect(Number(fill.output.trim())).toBeLessThanOrEqual(64);
    const { output } = await shell('ulimit -f; ulimit -c; ulimit -t');
    expect(output.trim().split('\n')).toEqual(['2097152', '0', '21600']);
  });

  test.skipIf(!hasPython)('that forks without end stops at the limit of processes', async () => {
    const group = openControlGroup('sandbox-test', 1_000_000_000);
    await group?.remove();
    // The kernel exempts root from the limit of a user; then only a control group bounds it.
    if (process.getuid?.() === 0 && group === null)
      return console.warn('skipped: root, and no control group can be made');
    const script = `
import os, time
count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError:
    pass
print(count)
`;
    const runMark = `forks-${process.pid}`;
    const { output } = await python(script, { runMark });
    expect(Number(output)).toBeGreaterThan(10);
    expect(Number(output)).toBeLessThan(1_100);
    expect(await goneWithin(runMark)).toEqual([]);
  });

  test('takes its detached children with it, whether it ends or is ended', async () => {
    const runMark = `detached-${process.pid}`;
    await shell('setsid sleep 600 & setsid sh -c "trap \'\' TERM HUP INT; sleep 600" & true', { runMark });
    expect(await goneWithin(runMark)).toEqual([]);

    const child = startLean({
      environment,
      workingDirectory: inside,
      sandbox,
      program: '/bin/sh',
      arguments: ['-c', 'setsid sleep 600 & echo started; sleep 600'],
      memoryBytesMax: 1_000_000_000,
      runMark,
    });
    if (!('pid' in child)) throw new Error(child.stderr);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    // A clean-up finds them by their mark from outside.
    expect(markedProcesses(runMark).length).toBeGreaterThan(2);
    process.kill(child.pid, 'SIGKILL');
    await child.ended;
    expect(await goneWithin(runMark)).toEqual([]);
  });

  test('goes with its worker: a worker that is killed leaves nothing', async () => {
    const runMark = `orphan-${process.pid}`;
    const words = sandbox.wrap(['/bin/sh', '-c', 'setsid sleep 600 & echo started; sleep 600'], {
      readOnly: [],
      writable: [],
      workingDirectory: '/tmp',
    });
    const worker = `
      const { spawn } = require('node:child_process');
      const [first, ...rest] = ${JSON.stringify(words)};
      const env = { STP_RUN_MARK: ${JSON.stringify(runMark)} };
      const child = spawn(first, rest, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
      child.stdout.once('data', () => process.kill(process.pid, 'SIGKILL'));`;
    expect(() => execFileSync(process.execPath, ['-e', worker], { stdio: 'ignore' })).toThrow();
    expect(await goneWithin(runMark)).toEqual([]);
  });

  test('that cannot be walled in is not run', async () => {
    const ended = await attack('/bin/sh', ['-c', 'echo ran'], { readOnly: [join(folder, 'nowhere')] });
    expect(ended).toMatchObject({ how: 'not-started', output: '' });
    expect(ended.stderr).toContain('bwrap: ');
  });
});

describe.skipIf(found === null)('Lean in the sandbox', () => {
  test('gives the same verdicts, and the report says where it ran', async () => {
    const path = join(folder, 'Both.lean');
    writeFileSync(path, 'theorem good (a b : Nat) : a + b = b + a := by omega\ntheorem bad : 1 = 2 := by sorry\n');
    const report = await checkFile(path, environment, { scratchDirectory: folder, sandbox });
    expect(report.theorems.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['good', 'accepted'],
      ['bad', 'rejected'],
    ]);
    expect(report.sandbox).toEqual(sandbox.facts);
    expect(report.memory.peakBytes).toBeGreaterThan(10_000_000);
  });
});

/** Marked processes that are left when the kernel has had a minute to take them apart. */
async function goneWithin(runMark: string): Promise<readonly unknown[]> {
  for (let poll = 0; poll < 2_400 && markedProcesses(runMark).length > 0; poll += 1)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return markedProcesses(runMark);
}
