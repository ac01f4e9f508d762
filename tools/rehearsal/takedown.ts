/**
 * Allows one rehearsal at a time, and removes everything of it. The kernel holds the lock until the process ends,
 * however it ends; the next rehearsal removes what a dead one has left.
 */
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { execa } from 'execa';
import { namespaces, removeNamespaces } from './network.ts';
import { STATE } from './places.ts';

/** Name of an abstract socket, which has no file. */
const LOCK = '\0stp-rehearsal';
let lock: Server | null = null;

/** Takes the lock and removes an earlier rehearsal. Returns a description of what was left, or null. */
export async function begin(): Promise<string | null> {
  const taken = createServer().listen(LOCK);
  await once(taken, 'listening').catch((cause: unknown) => {
    throw new StpError(
      'STP1002',
      'another rehearsal runs on this machine',
      'Wait until it ends, or end it with Ctrl-C: it takes down what it has put up.',
      { cause },
    );
  });
  lock = taken.unref();
  const left = await namespaces();
  await removeAll();
  await mkdir(STATE, { recursive: true, mode: 0o755 });
  return left.length === 0 ? null : `took down what an earlier rehearsal had left: ${left.length} namespaces`;
}

/** Removes everything that this process has set up, and releases the lock. Does nothing without the lock. */
export async function takeDown(): Promise<void> {
  if (lock === null) return;
  // A second time, since parts may have been set up during the first.
  await removeAll();
  await removeAll();
  lock.close();
  lock = null;
}

/** Ends all processes of the machines, and removes their networks, disks and keys. */
async function removeAll(): Promise<void> {
  await removeNamespaces();
  for (const disk of await readdir(join(STATE, 'disks')).catch(() => []))
    await execa('umount', ['--lazy', join(STATE, 'disks', disk)], { reject: false });
  await rm(STATE, { recursive: true, force: true });
}

/** Returns what is left of a rehearsal on this machine, in words; empty if nothing is. */
export async function leftovers(): Promise<string[]> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').filter((line) => line.includes(STATE));
  return [
    ...(await namespaces()).map((name) => `namespace ${name}`),
    ...mounts.map((line) => `mount ${line.split(' ')[1]}`),
  ];
}
