/**
 * Partial folders: `.NAME@MACHINE.PID.START-RANDOM` beside the folder `NAME` that they become. The name gives the
 * process that writes the folder, so that a later process can remove it if its writer was killed. MACHINE is a hash of
 * the host, its boot and the PID namespace, within which pid and start time identify a process.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PARTIAL = /^\..+@([0-9a-f]{8})\.(\d+)\.(\d+)-[0-9a-f]{8}$/;
/** A folder of another machine is abandoned if nothing in it has changed for this time. */
const UNCHANGED_MAX_MS = 24 * 3_600_000;

/** Returns the path of a new partial folder of this process, which does not exist yet. */
export async function partialPath(folder: string): Promise<string> {
  const owner = `${await thisMachine()}.${process.pid}.${(await startOf(process.pid)) ?? 0}`;
  return join(dirname(folder), `.${basename(folder)}@${owner}-${randomBytes(4).toString('hex')}`);
}

/** Removes the partial folders in `parent` whose process is gone. A folder that cannot be removed stays. */
export async function removeAbandoned(parent: string): Promise<void> {
  const here = await thisMachine();
  for (const name of await readdir(parent).catch(() => [])) {
    const [, machine, pid, start] = PARTIAL.exec(name) ?? [];
    if (machine === undefined) continue;
    const path = join(parent, name);
    const isAbandoned = machine === here ? !(await isRunning(Number(pid), start!)) : await isUnchanged(path);
    if (isAbandoned) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function thisMachine(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return createHash('sha256').update(`${hostname()} ${boot} ${namespace}`).digest('hex').slice(0, 8);
}

async function isRunning(pid: number, start: string): Promise<boolean> {
  const found = await startOf(pid);
  if (found !== null) return found === start;
  // A system without /proc, or one that hides the processes of other users
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the start time of a process, clock ticks from boot; empty for a dead one, null if /proc has no entry. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The fields from the third on; the second one is the command in parentheses, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return /[ZX]/.test(fields[0]!) ? '' : fields[19]!;
}

async function isUnchanged(path: string): Promise<boolean> {
  try {
    const below = await readdir(path, { recursive: true });
    const stats = await Promise.all([path, ...below.map((name) => join(path, name))].map((one) => stat(one)));
    return Date.now() - Math.max(...stats.map(({ mtimeMs }) => mtimeMs)) > UNCHANGED_MAX_MS;
  } catch {
    return false;
  }
}
