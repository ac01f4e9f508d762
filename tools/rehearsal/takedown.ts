/**
 * One rehearsal at a time, and nothing of it left: the lock names the process that has it; what a dead one has left is
 * taken down by the next.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { StpError } from '../../data/errors.ts';
import { identify, isRunning } from '../../infra/processes.ts';
import { namespaces, removeNamespaces } from './network.ts';
import { STATE } from './places.ts';

const LOCK = join(STATE, 'owner.json');

/** Takes the lock, and down what is left of an earlier rehearsal; what that was, or null. */
export async function begin(): Promise<string | null> {
  const owner = await readFile(LOCK, 'utf8').then(JSON.parse, () => null);
  if (owner !== null && (await isRunning(owner)))
    throw new StpError(
      'STP1002',
      `another rehearsal runs on this machine (process ${owner.pid})`,
      'Wait until it ends, or end it with Ctrl-C: it takes down what it has put up.',
    );
  const left = await namespaces();
  await takeDown();
  await mkdir(STATE, { recursive: true, mode: 0o755 });
  await writeFile(LOCK, JSON.stringify(await identify(process.pid)));
  return left.length === 0 ? null : `took down what an earlier rehearsal had left: ${left.length} namespaces`;
}

/** Ends all processes of the machines, and removes their networks, disks and keys. */
export async function takeDown(): Promise<void> {
  await removeNamespaces();
  for (const disk of await readdir(join(STATE, 'disks')).catch(() => []))
    await execa('umount', ['--lazy', join(STATE, 'disks', disk)], { reject: false });
  await rm(STATE, { recursive: true, force: true });
}

/** What is left of a rehearsal on this machine, in words; empty where nothing is. */
export async function leftovers(): Promise<string[]> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').filter((line) => line.includes(STATE));
  return [
    ...(await namespaces()).map((name) => `namespace ${name}`),
    ...mounts.map((line) => `mount ${line.split(' ')[1]}`),
  ];
}
