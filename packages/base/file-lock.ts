/**
 * Lets one process at a time do what would be wasted if two did it, such as a download into the cache. The lock is a
 * file, which its owner refreshes. Two processes that find an abandoned lock at the same moment may both enter, so the
 * work itself must leave a whole result in that case, too: `publishFolder`.
 */
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answersSignal } from './processes.ts';

const REFRESH_MS = 5_000;
/** A lock that was not refreshed for this long belongs to a dead process. */
const STALE_MS = 60_000;
const POLL_MS = 250;

export interface FileLockOptions {
  /** Called once if another process has the lock. */
  readonly onWait?: () => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while no other call, in any process, has the lock of this path. It is told whether it waited, since what
 * it would make may be there then.
 */
export async function withFileLock<Result>(
  path: string,
  work: (waited: boolean) => Promise<Result>,
  { onWait, signal }: FileLockOptions = {},
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true });
  let waited = false;
  while (!(await take(path))) {
    if (await isStale(path)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited) onWait?.();
    waited = true;
    await sleep(POLL_MS);
    signal?.throwIfAborted();
  }
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined); // removed as stale
  }, REFRESH_MS);
  try {
    return await work(waited);
  } finally {
    clearInterval(refresh);
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${hostname()}\n${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const age = await ageMs(path);
  if (age === null) return false;
  if (age > STALE_MS) return true;
  const [host, pid] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  return host !== undefined && pid !== undefined && isGone(host, Number(pid));
}

/** Returns the milliseconds since the last change, or null if nothing exists there. */
export async function ageMs(path: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Is the process certainly gone? False for processes of other machines. */
export function isGone(host: string, pid: number): boolean {
  return host === hostname() && Number.isInteger(pid) && !answersSignal(pid);
}
