/**
 * Folders whose names give the process that made them, from the moment they exist:
 * `PREFIX@PID.START.NAMESPACE.BOOT.HOST-RANDOM`. The owner is dead if no process of that pid and start time runs, or if
 * this host has restarted since. This process cannot check an owner in another PID namespace or on another host, so
 * folders of such owners count as owned.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning, ownerOfThisProcess } from './processes.ts';

const FOLDER = /^(\.?[a-z-]+)@(\d+)\.(\d+)\.(\d+)\.([0-9a-f]{8})\.([0-9a-f]{8})-[A-Za-z0-9]+$/;

/** Makes a new folder of this process in `parent`, which is created if necessary. */
export async function makeOwnedFolder(parent: string, prefix: string): Promise<string> {
  const { pid, startTicks, pidNamespace } = await ownerOfThisProcess();
  await mkdir(parent, { recursive: true });
  const owner = `${pid}.${startTicks}.${pidNamespace}.${await thisBoot()}.${thisHost()}`;
  return mkdtemp(join(parent, `${prefix}@${owner}-`));
}

/** A folder's prefix, and whether its owner is dead, runs, or cannot be checked by this process. */
export interface FolderOwner {
  readonly prefix: string;
  readonly state: 'gone' | 'running' | 'elsewhere';
}

/** Reads the owner of a folder from its name; null for another name. */
export async function folderOwner(name: string): Promise<FolderOwner | null> {
  const [, prefix, pid, startTicks, pidNamespace, boot, host] = FOLDER.exec(name) ?? [];
  if (prefix === undefined || pidNamespace === undefined) return null;
  if (boot !== (await thisBoot())) return { prefix, state: host === thisHost() ? 'gone' : 'elsewhere' };
  const own = await ownerOfThisProcess();
  if (pidNamespace !== own.pidNamespace) return { prefix, state: 'elsewhere' };
  const isAlive = await isRunning({ pid: Number(pid), startTicks: Number(startTicks) });
  return { prefix, state: isAlive ? 'running' : 'gone' };
}

/** Returns the prefix of a folder whose owner is dead; null for a folder with another owner or another name. */
export async function orphanPrefix(name: string): Promise<string | null> {
  const owner = await folderOwner(name);
  return owner?.state === 'gone' ? owner.prefix : null;
}

/**
 * Returns an id that changes at each start of the machine. It is constant if the kernel gives none; then the pid
 * decides.
 */
async function thisBoot(): Promise<string> {
  return shortHash(await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''));
}

function thisHost(): string {
  return shortHash(hostname());
}

function shortHash(text: string): string {
  return createHash('sha256').update(text.trim()).digest('hex').slice(0, 8);
}
