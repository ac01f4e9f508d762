/**
 * Creates our own toolchains in `<cache>/lean/<name>`. A toolchain is made in a folder with another name, which is
 * renamed when complete, so an interrupted set-up leaves nothing that looks like a Lean. The lock saves a second set-up
 * the work. If the lock fails, the later rename wins, and both results are complete.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const WORK_PREFIX = '.set-up-';
const LOCK_NAME = '.set-up.lock';
const LOCK_REFRESH_MS = 5_000;
/** A lock that was not refreshed for this long belongs to a dead set-up. */
const LOCK_STALE_MS = 60_000;
const LOCK_POLL_MS = 250;
/** How long unfinished work is kept if it belongs to another machine, or to a process that cannot be queried. */
const WORK_STALE_MS = 24 * 60 * 60_000;

export function leanFolder(cacheDirectory: string): string {
  return join(cacheDirectory, 'lean');
}

interface Owner {
  readonly host: string;
  readonly pid: number;
}

function isGone({ host, pid }: Owner): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Returns the milliseconds since the last change, or undefined if nothing exists there. */
async function ageMs(path: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function lockIsStale(path: string): Promise<boolean> {
  const age = await ageMs(path);
  if (age === undefined) return false;
  if (age > LOCK_STALE_MS) return true;
  const [host, pid] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return host !== undefined && pid !== undefined && isGone({ host, pid: Number(pid) });
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${hostname()}\n${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Runs `work` while no other set-up uses the same cache; waits for the lock.
 * @param onWait called once if another set-up is in progress
 */
export async function withSetUpLock<Result>(
  cacheDirectory: string,
  onWait: () => void,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const folder = leanFolder(cacheDirectory);
  await mkdir(folder, { recursive: true });
  const lock = join(folder, LOCK_NAME);
  let waited = false;
  while (!(await takeLock(lock))) {
    if (await lockIsStale(lock)) {
      await rm(lock, { force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(LOCK_POLL_MS);
    signal?.throwIfAborted();
  }
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => undefined); // removed as stale; the renames keep the result whole
  }, LOCK_REFRESH_MS);
  try {
    await removeAbandonedWork(folder);
    return await work();
  } finally {
    clearInterval(refresh);
    await rm(lock, { force: true });
  }
}

/** Removes work folders of dead set-ups. They are named `.set-up-<host>-<pid>-<random>`. */
async function removeAbandonedWork(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const parts = name.slice(WORK_PREFIX.length).split('-');
    if (!name.startsWith(WORK_PREFIX) || parts.length < 3) continue;
    const owner = { host: parts.slice(0, -2).join('-'), pid: Number(parts.at(-2)) };
    const path = join(folder, name);
    const age = await ageMs(path);
    if (isGone(owner) || (age !== undefined && age > WORK_STALE_MS)) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Makes `<cache>/lean/<name>`: `make` fills an empty folder, which then gets that name. An earlier folder of that name
 * is replaced in one step, so an incomplete folder never has the name. After a failure nothing new is left.
 * @returns the folder
 */
export async function makeWhole(
  cacheDirectory: string,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const parent = leanFolder(cacheDirectory);
  const target = join(parent, name);
  const work = join(parent, workFolderName());
  const former = join(parent, workFolderName());
  await mkdir(work, { recursive: true });
  try {
    await make(work);
    await renameIfThere(target, former);
    await rename(work, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
    await rm(former, { recursive: true, force: true });
  }
}

function workFolderName(): string {
  return `${WORK_PREFIX}${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
