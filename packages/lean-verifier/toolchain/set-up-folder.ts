/**
 * Creates our own toolchains in `<cache>/lean/<name>`. A toolchain is made in a folder with another name, which is
 * renamed when complete, so an interrupted set-up leaves nothing that looks like a Lean. The lock saves a second set-up
 * the work. If the lock fails, the later rename wins, and both results are complete.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ageMs, isGone, withFileLock } from '@stp/base/files';

const WORK_PREFIX = '.set-up-';
const LOCK_NAME = '.set-up.lock';
/** How long unfinished work is kept if it belongs to another machine, or to a process that cannot be queried. */
const WORK_STALE_MS = 24 * 60 * 60_000;

export function leanFolder(cacheDirectory: string): string {
  return join(cacheDirectory, 'lean');
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
  const clean = async () => {
    await removeAbandonedWork(folder);
    return work();
  };
  return withFileLock(join(folder, LOCK_NAME), clean, { onWait, signal });
}

/** Removes work folders of dead set-ups. They are named `.set-up-<host>-<pid>-<random>`. */
async function removeAbandonedWork(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const parts = name.slice(WORK_PREFIX.length).split('-');
    if (!name.startsWith(WORK_PREFIX) || parts.length < 3) continue;
    const path = join(folder, name);
    const age = await ageMs(path);
    const host = parts.slice(0, -2).join('-');
    if (isGone(host, Number(parts.at(-2))) || (age !== null && age > WORK_STALE_MS))
      await rm(path, { recursive: true, force: true });
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
