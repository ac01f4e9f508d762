/**
 * Owners of scratch folders: folders of living owners stay untouched, folders of dead ones are removed. Real processes
 * and folders.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { identify, isRunning, RUN_MARK } from '@stp/base/files';
import { afterAll, expect, it } from 'vitest';
import { openCommandScratch, removeLeavings } from '../../../infra/nodes/command-scratch.ts';
import { localNodes } from '../../../infra/nodes/local-nodes.ts';
import { requireWritable } from '../../../infra/unwritable.ts';

const scratchDirectory = await mkdtemp(join(tmpdir(), 'stp-command-scratch-'));
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(scratchDirectory, { recursive: true, force: true });
});

/** Pid and start time of a process that has ended. */
async function deadOwner(): Promise<{ pid: number; startTicks: number }> {
  const child = spawn('sleep', ['600']);
  const identity = await identify(child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

/** The name of a folder of this process, with another owner in it. */
async function folderOf(change: {
  pid?: number;
  startTicks?: number;
  boot?: string;
  host?: string;
  namespace?: string;
}) {
  const own = await openCommandScratch(scratchDirectory, 'check');
  await own.remove();
  const [, pid, start, namespace, boot, host] = /@(\d+)\.(\d+)\.(\d+)\.(\w+)\.(\w+)-/.exec(basename(own.directory))!;
  const owner = `${change.pid ?? pid}.${change.startTicks ?? start}.${change.namespace ?? namespace}`;
  const folder = join(scratchDirectory, `check@${owner}.${change.boot ?? boot}.${change.host ?? host}-abc`);
  await mkdir(join(folder, 'below'), { recursive: true });
  await writeFile(join(folder, 'below', 'file'), 'text');
  return folder;
}

it('removes folders whose owner is gone, and no others', async () => {
  const own = await openCommandScratch(scratchDirectory, 'lean-serve');
  const dead = await deadOwner();
  const gone = [
    await folderOf(dead),
    // This process has the pid now; the owner was an earlier one.
    await folderOf({ startTicks: 1 }),
    // The machine has been started anew since: this process is not the owner, though it has all of its numbers.
    await folderOf({ boot: '00000000' }),
  ];
  const kept = [
    own.directory,
    await folderOf({}),
    await folderOf({ ...dead, namespace: '1' }),
    await folderOf({ ...dead, boot: '00000000', host: '00000000' }),
    join(scratchDirectory, 'run-0badc0de'),
    join(scratchDirectory, 'check-AbCdEf'),
    join(scratchDirectory, `other@${dead.pid}.${dead.startTicks}.1.00000000.00000000-abc`),
  ];
  for (const folder of kept) await mkdir(folder, { recursive: true });
  const outside = await mkdtemp(join(tmpdir(), 'stp-outside-'));
  await writeFile(join(outside, 'file'), 'text');
  const link = `${gone[0]}x`;
  await symlink(outside, link);
  await symlink(outside, join(gone[0]!, 'link'));

  // Two commands at once.
  const [one, other] = await Promise.all([removeLeavings(scratchDirectory), removeLeavings(scratchDirectory)]);
  expect(one.folders + other.folders).toBeGreaterThanOrEqual(gone.length);
  expect(gone.filter(existsSync)).toEqual([]);
  expect(kept.filter((folder) => !existsSync(folder))).toEqual([]);
  expect(existsSync(link)).toBe(true);
  expect(await readdir(outside)).toEqual(['file']);
  await rm(outside, { recursive: true });
  await own.remove();
  expect(existsSync(own.directory)).toBe(false);
});

it('ends Lean processes of commands that are gone, and none of living commands or of runs', async () => {
  const own = await openCommandScratch(scratchDirectory, 'check');
  const [, namespace] = /\.(\d+)\/lean$/.exec(own.runMark)!;
  const dead = await deadOwner();
  const processOf = async (mark: string): Promise<ChildProcess> => {
    const child = spawn('bash', ['-c', 'echo ready; sleep 600'], { env: { PATH: process.env.PATH, [RUN_MARK]: mark } });
    started.push(child);
    await once(child.stdout, 'data');
    return child;
  };
  const left = await processOf(`check@${dead.pid}.${dead.startTicks}.${namespace}/lean`);
  const spared = [
    await processOf(own.runMark),
    await processOf(`check-0badc0de@${process.pid}.${dead.startTicks + 1}.1/lean`),
    await processOf('check'),
  ];
  const identities = await Promise.all(spared.map(({ pid }) => identify(pid!)));
  // A command of another test may have been before us.
  await removeLeavings(scratchDirectory);
  expect(await isRunning(await identify(left.pid!))).toBe(false);
  expect(await Promise.all(identities.map(isRunning))).toEqual([true, true, true]);
  await own.remove();
});

it('goes with what workers and `stp clean` sweep', async () => {
  const folder = await folderOf(await deadOwner());
  const { scratchBytesFreed } = await localNodes({ scratchDirectory, taskQueue: 'host/here' }).sweep(null);
  expect(existsSync(folder)).toBe(false);
  expect(scratchBytesFreed).toBeGreaterThan(0);
});

it('has nothing to do where there is no scratch folder', async () => {
  expect((await removeLeavings(join(scratchDirectory, 'none'))).folders).toBe(0);
});

it.each(['/dev/null', '/dev/null/below'])('says that %s takes no folder, and what names another', async (folder) => {
  for (const refused of [() => openCommandScratch(folder, 'check'), () => requireWritable(folder)])
    await expect(refused()).rejects.toMatchObject({
      code: 'STP1401',
      message: expect.stringMatching(new RegExp(`^cannot write to ${folder}: .`)),
      advice: expect.stringMatching(/STP_CACHE.*STP_SCRATCH/),
    });
});
