/** Tests the clean-up with real processes of every kind. About 5 s. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify, isRunning, listProcesses, RUN_MARK, readProcess, residentBytes } from '@stp/base/files';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { localNodes } from '../../../infra/nodes/local-nodes.ts';
import { kill } from '../../support/processes.ts';

const started: ChildProcess[] = [];
const groups: number[] = [];
const run = `test-${randomUUID()}`;
const scratchDirectory = await mkdtemp(join(tmpdir(), 'stp-nodes-'));
const nodes = localNodes({ scratchDirectory, taskQueue: 'host/here' });

afterAll(async () => {
  for (const mark of [run, `${run}0`]) for (const pid of await pidsWithMark(mark)) kill(pid);
  for (const child of started) child.kill('SIGKILL');
  for (const group of groups) {
    // Children of a shell outlive it.
    if ((await listProcesses()).some((found) => found.groupId === group)) kill(-group);
  }
});

/** Starts a process with the mark, or without one, and waits until it prints `ready`. */
async function start(mark: string | null, command: string, detached: boolean): Promise<ChildProcess & { pid: number }> {
  const env = { PATH: process.env.PATH, ...(mark !== null && { [RUN_MARK]: mark }) };
  const child = spawn('bash', ['-c', command], { env, detached, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  if (detached) groups.push(child.pid!);
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

/** Reads /proc without the code under test. */
async function pidsWithMark(mark: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of await readdir('/proc')) {
    const environment = /^\d+$/.test(name) ? await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '') : '';
    if (environment.split('\0').includes(`${RUN_MARK}=${mark}`)) pids.push(Number(name));
  }
  return pids;
}

it('ends fifty marked processes with living and dead parents, and nothing else', async () => {
  // 20 processes in their own groups and sessions, whose parent is killed, so that no process knows them.
  const parent = await start(run, 'for i in $(seq 20); do setsid sleep 600 & done; echo ready; wait', true);
  process.kill(parent.pid, 'SIGKILL');
  await once(parent, 'exit');
  // 15 in one group with their living parent.
  await start(run, 'for i in $(seq 14); do sleep 600 & done; echo ready; wait', true);
  // 13 in this test's own group.
  await start(run, 'for i in $(seq 12); do sleep 600 & done; echo ready; wait', false);
  // 2 in the group of a process without the mark.
  const host = await start(
    null,
    `for i in 1 2; do env ${RUN_MARK}=${run} sleep 600 & done; sleep 600 & echo ready; wait`,
    true,
  );

  const bystanders = [
    host,
    await start(`${run}0`, 'echo ready; sleep 600', true),
    await start(null, `echo ready; : ${RUN_MARK}=${run}; sleep 600`, true),
    await start(null, 'echo ready; sleep 600', false),
  ];
  // The last two have the mark when `env` has become `sleep`.
  await expect.poll(async () => (await pidsWithMark(run)).length).toBe(50);

  const report = await nodes.cleanUp(run);
  expect(report.processesEnded).toBe(50);
  expect(await pidsWithMark(run)).toEqual([]);
  for (const child of bystanders) expect(await isRunning(await identify(child.pid))).toBe(true);
  expect((await pidsWithMark(`${run}0`)).length).toBeGreaterThan(0);
});

it('ends a process that keeps starting others', async () => {
  await start(run, 'while :; do setsid sleep 600 & [ $! -gt 0 ] && echo ready; sleep 0.01; done', true);
  const report = await nodes.cleanUp(run);
  expect(report.processesEnded).toBeGreaterThanOrEqual(1);
  expect(await pidsWithMark(run)).toEqual([]);
});

it('says what it gave back, and removes the run’s scratch folder only', async () => {
  const work =
    'const held = Buffer.alloc(60e6, 1); while (process.cpuUsage().user < 4e5); console.log(held.length); setInterval(() => held, 1e6)';
  await start(run, `exec ${process.execPath} -e '${work}'`, true);
  const [node] = await nodes.provision(run);
  expect(node).toMatchObject({ taskQueue: 'host/here', cpuCores: expect.any(Number), memoryBytes: expect.any(Number) });
  await nodes.provision(`${run}0`);
  await mkdir(join(scratchDirectory, run, 'deep'));
  await writeFile(join(scratchDirectory, run, 'deep', 'file'), Buffer.alloc(1_000_000, 1));
  await writeFile(join(scratchDirectory, 'kept'), 'x');
  await symlink(join(scratchDirectory, 'kept'), join(scratchDirectory, run, 'link'));

  const report = await nodes.cleanUp(run);
  expect(report.processesEnded).toBe(1);
  expect(report.memoryBytesFreed).toBeGreaterThan(60e6);
  expect(report.cpuSecondsUsed).toBeGreaterThanOrEqual(0.4);
  expect(report.scratchBytesFreed).toBeGreaterThanOrEqual(1_000_000);
  expect((await readdir(scratchDirectory)).sort()).toEqual(['kept', `${run}0`].sort());
  expect(await readFile(join(scratchDirectory, 'kept'), 'utf8')).toBe('x');

  const again = await nodes.cleanUp(run);
  expect(again).toMatchObject({ processesEnded: 0, memoryBytesFreed: 0, cpuSecondsUsed: 0, scratchBytesFreed: 0 });
});

it('spares itself and those it descends from, though they carry the mark', async () => {
  const script = `
    import { localNodes } from ${JSON.stringify(new URL('../../../infra/nodes/local-nodes.ts', import.meta.url).href)};
    const report = await localNodes({ scratchDirectory: ${JSON.stringify(scratchDirectory)}, taskQueue: 'q' }).cleanUp(${JSON.stringify(run)});
    console.log(report.processesEnded);`;
  // A marked shell starts a marked sleeper and, in a marked subshell, the clean-up.
  const command = 'sleep 600 & bash -c \'"$0" --input-type=module -e "$1"; echo spared\' "$0" "$1"; echo spared';
  const result = await execa('bash', ['-c', command, process.execPath, script], {
    env: { [RUN_MARK]: run },
    stdin: 'ignore',
  });
  expect(result.stdout.split('\n')).toEqual(['1', 'spared', 'spared']);
  expect(await pidsWithMark(run)).toEqual([]);
});

it.each(['', '..', '.', 'a/b', '/etc', '../other', '-rf', 'a\0b'])('refuses the run %j', async (wrong) => {
  await expect(nodes.cleanUp(wrong)).rejects.toMatchObject({ code: 'STP1002' });
  await expect(nodes.provision(wrong)).rejects.toMatchObject({ code: 'STP1002' });
});

it('reads processes robustly', async () => {
  // Spaces and parentheses in a command's name break naive readers of /proc/PID/stat.
  const folder = await mkdtemp(join(tmpdir(), 'stp-nodes-'));
  const odd = join(folder, 'a) R 1 (b');
  await symlink('/bin/sleep', odd);
  const child = spawn(odd, ['600'], { stdio: 'ignore' });
  started.push(child);
  await once(child, 'spawn');
  expect(await readProcess(child.pid!)).toMatchObject({ pid: child.pid, parentPid: process.pid });
  const identity = await identify(child.pid!);
  expect(await isRunning(identity)).toBe(true);
  expect(await isRunning({ ...identity, startTicks: identity.startTicks + 1 })).toBe(false);
  expect(await residentBytes(process.pid)).toBeGreaterThan(10e6);
  expect((await listProcesses()).some((found) => found.pid === process.pid)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await readProcess(child.pid!)).toBeNull();
  expect(await residentBytes(child.pid!)).toBe(0);
  expect(existsSync('/proc/self')).toBe(true);
});
