/**
 * Tests that leftovers of dead workers are ended by their marks, and processes with a living owner or without one are
 * spared. About 5 s.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  identify,
  isRunning,
  ownerOfThisProcess,
  RUN_MARK,
  type RunOwner,
  readRunMark,
  runMarkOf,
  writeRunMark,
} from '@stp/base/files';
import { type ControlGroup, openControlGroup } from '@stp/lean-verifier/testing';
import { afterAll, expect, it } from 'vitest';
import { localNodes } from '../../../infra/nodes/local-nodes.ts';

const started: ChildProcess[] = [];
const scratchDirectory = await mkdtemp(join(tmpdir(), 'stp-sweep-'));
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(scratchDirectory, { recursive: true, force: true });
});

const run = `sweep-${randomUUID().slice(0, 8)}`;
const self = await ownerOfThisProcess();
const nodes = localNodes({ scratchDirectory, taskQueue: 'q' });

async function sleeper(mark: string | null): Promise<number> {
  const env = { PATH: process.env.PATH, ...(mark !== null && { [RUN_MARK]: mark }) };
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' });
  started.push(child);
  await once(child, 'spawn');
  return child.pid!;
}
const isThere = async (pid: number): Promise<boolean> => isRunning(await identify(pid));

/** Returns an owner that existed and is dead. */
async function deadOwner(): Promise<RunOwner> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const owner = { ...(await identify(child.pid!)), pidNamespace: self.pidNamespace };
  child.kill('SIGKILL');
  await once(child, 'exit');
  return owner;
}

it('writes and reads marks, and takes any other text for the name of a run without an owner', () => {
  const owner = { pid: 12, startTicks: 345, pidNamespace: '4026531836' };
  expect(readRunMark(writeRunMark('a-1', owner, 'lean'))).toEqual({ run: 'a-1', owner, part: 'lean' });
  for (const text of ['a-1', '', 'a@b', 'a@1.2/lean', 'a@1.2.3/other', '@1.2.3/lean'])
    expect(readRunMark(text)).toEqual({ run: text, owner: null, part: null });
});

it('ends what belongs to a dead worker of any run, and nothing else', async () => {
  const dead = await deadOwner();
  const elsewhere = { ...dead, pidNamespace: '1' };
  const later = { ...self, startTicks: self.startTicks + 1 };
  const leftovers = async () => [
    await sleeper(writeRunMark(run, dead, 'lean')),
    await sleeper(writeRunMark(`${run}-other`, dead, 'model')),
    // The pid is in use, but by a later process.
    await sleeper(writeRunMark(run, later, 'lean')),
  ];
  const kept = [
    await sleeper(writeRunMark(run, self, 'lean')),
    await sleeper(writeRunMark(run, elsewhere, 'lean')),
    await sleeper(run),
    await sleeper(null),
  ];
  // Another worker on this machine may sweep first; then new processes are started.
  for (let processesEnded = 0; processesEnded < 3; ) {
    const gone = await leftovers();
    ({ processesEnded } = await nodes.sweep(null));
    for (const pid of gone) expect(await isThere(pid)).toBe(false);
  }
  for (const pid of kept) expect(await isThere(pid)).toBe(true);
  // Young processes may belong to a run that has just begun.
  await nodes.sweep([]);
  for (const pid of kept) expect(await isThere(pid)).toBe(true);
});

it('ends what is in a control group of the run though it has shed its mark, and removes the group', async (context) => {
  const own = `${run}-group`;
  const group = openControlGroup(writeRunMark(own, self, 'lean'), 1e9);
  const other = openControlGroup(writeRunMark(`${own}-other`, self, 'lean'), 1e9);
  if (group === null || other === null) return context.skip('no control group can be made here');
  const inside = async (entered: ControlGroup): Promise<number> => {
    const [command, ...rest] = entered.enter(['env', '-i', '/bin/sleep', '600']);
    const child = spawn(command!, rest, { stdio: 'ignore', detached: true });
    started.push(child);
    await expect.poll(() => readFile(`/proc/${child.pid}/comm`, 'utf8')).toBe('sleep\n');
    return child.pid!;
  };
  const [pid, kept] = [await inside(group), await inside(other)];
  expect(await runMarkOf(pid)).toBeNull();
  expect((await nodes.cleanUp(own)).processesEnded).toBe(1);
  expect([await isThere(pid), await isThere(kept)]).toEqual([false, true]);
  // It has already ended: a write to it fails.
  expect(group.setMemoryBytesMax(2e9)).toBe(false);
  expect(other.setMemoryBytesMax(2e9)).toBe(true);
  expect((await nodes.cleanUp(`${own}-other`)).processesEnded).toBe(1);
});

it('ends Lean alone where the run goes on, after the process that holds it has let go', async () => {
  const own = `${run}-lean`;
  const [lean, model] = [
    await sleeper(writeRunMark(own, self, 'lean')),
    await sleeper(writeRunMark(own, self, 'model')),
  ];
  const released: unknown[] = [];
  const holding = localNodes({
    scratchDirectory,
    taskQueue: 'q',
    release: async (...args) => {
      released.push(args);
      // A pool ends its processes by itself; they still count as ended.
      started.find((child) => child.pid === lean)?.kill('SIGKILL');
    },
  });
  await holding.provision(own);
  const report = await holding.cleanUp(own, 'lean');
  expect(report.processesEnded).toBe(1);
  expect(released).toEqual([[own, 'lean']]);
  expect([await isThere(lean), await isThere(model)]).toEqual([false, true]);
  expect(await readdir(scratchDirectory)).toEqual([own]);
  expect((await runMarkOf(model))?.part).toBe('model');
  expect((await holding.cleanUp(own, 'lean')).processesEnded).toBe(0);
  expect((await holding.cleanUp(own)).processesEnded).toBe(1);
  expect(await readdir(scratchDirectory)).toEqual([]);
});
