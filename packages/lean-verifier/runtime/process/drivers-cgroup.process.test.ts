/**
 * Control groups: version 1 for real where this machine lets us make one, version 2 against a folder with its files (what
 * the kernel does with them is not tested). Half a second.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../../../test/support/processes.ts';
import { script } from '../../testing/drivers.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { openControlGroup, removeLeftOver } from './cgroup.ts';
import { type LeanRun, runLean } from './lean-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'stp-cgroup-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const real = openControlGroup('probe', 100_000_000);
await real?.remove();

describe.skipIf(real === null)('a group of this machine', () => {
  function run(text: string, options: Partial<LeanRun> = {}) {
    const executable = script(folder, `lean-${Math.random().toString(36).slice(2)}`, text);
    const environment = { executable, searchPath: [] as readonly string[] } as LeanEnvironment;
    return runLean({
      environment,
      arguments: [],
      input: null,
      workingDirectory: folder,
      deadlineMs: 60_000,
      memoryBytesMax: 100_000_000,
      runMark: 'a run@1.2.3/lean',
      onMessage: () => {},
      ...options,
    });
  }

  test('holds the process and what it starts, by the name of its run, and is gone after it', async () => {
    const { how, stderr } = await run('(cat /proc/self/cgroup >&2) & wait');
    expect(how).toBe('finished');
    const name = /stp-a_run_1\.2\.3_lean-\d+-\d+/.exec(stderr)?.[0];
    expect(name).toBeDefined();
    expect(stderr).toContain(`stp-a_run_1.2.3_lean-${process.pid}-`);
    for (const hierarchy of ['memory', 'pids']) {
      const own = new RegExp(`:${hierarchy}:(.*)/${name}$`, 'm').exec(stderr)?.[1] ?? '';
      expect(existsSync(`/sys/fs/cgroup/${hierarchy}${own}/${name}`)).toBe(false);
    }
  });

  const allocate = (bytes: number): string[] => [process.execPath, '-e', `Buffer.alloc(${bytes}, 1)`];

  test('takes with it what has left the process group', async () => {
    // The process has a session of its own and closed output, so neither the process group nor a pipe reveals it.
    const runMark = `test-${Math.random().toString(36).slice(2)}`;
    const { how } = await run('setsid sleep 1000 </dev/null >/dev/null 2>&1 & exit 0', { runMark });
    expect(how).toBe('finished');
    expect(markedProcesses(runMark)).toEqual([]);
  });

  test('has the kernel end what exceeds its memory, and tells', async () => {
    const group = openControlGroup('direct', 100_000_000)!;
    try {
      const [command, ...rest] = group.enter(allocate(400_000_000));
      expect((await execa(command!, rest, { reject: false })).signal).toBe('SIGKILL');
      expect(group.outOfMemory()).toBe(true);
    } finally {
      await group.remove();
    }
  });

  test('makes such an end one for memory, also where it was a child', async () => {
    const command = allocate(400_000_000)
      .map((word) => `'${word}'`)
      .join(' ');
    expect((await run(`exec ${command}`)).how).toBe('memory');
    expect((await run(`${command}; exit 137`)).how).toBe('memory');
  });
});

test('a group of version 2 bounds memory, swap and tasks, and tells of a kill', () => {
  const parent = join(folder, 'v2');
  mkdirSync(parent);
  const group = openControlGroup('run', 5_000, { version: 2, memory: parent, tasks: null })!;
  const [name] = readdirSync(parent);
  const file = (key: string) => join(parent, name!, key);
  expect(name).toMatch(new RegExp(`^stp-run-${process.pid}-\\d+$`));
  const bounds = ['memory.max', 'memory.swap.max', 'pids.max'].map((key) => readFileSync(file(key), 'utf8'));
  expect(bounds).toEqual(['5000', '0', '1024']);
  expect(group.setMemoryBytesMax(7_000)).toBe(true);
  expect(readFileSync(file('memory.max'), 'utf8')).toBe('7000');
  expect(group.outOfMemory()).toBe(false);
  writeFileSync(file('memory.events'), 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n');
  expect(group.outOfMemory()).toBe(true);
  group.kill();
  expect(readFileSync(file('cgroup.kill'), 'utf8')).toBe('1');
  expect(group.enter(['lean', '--json'])).toEqual([
    '/bin/sh',
    '-c',
    expect.any(String),
    'sh',
    join(parent, name!),
    'lean',
    '--json',
  ]);
});

test('groups of processes that are gone are removed where they are empty', () => {
  const parent = join(folder, 'left-over');
  const gone = `stp-run-${2 ** 22 + 1}-7`;
  const names = [gone, `stp-run-${process.pid}-8`, 'stp-other', 'unrelated-1-2'];
  for (const name of names) mkdirSync(join(parent, name), { recursive: true });
  removeLeftOver(parent);
  expect(readdirSync(parent).sort()).toEqual(names.slice(1).sort());
});

test('where none can be made there is none', () => {
  expect(openControlGroup('run', 5_000, { version: 1, memory: join(folder, 'nowhere'), tasks: folder })).toBeNull();
  expect(openControlGroup('run', 5_000, null)).toBeNull();
});
