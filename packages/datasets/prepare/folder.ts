/**
 * Writes a folder whole or not at all: fills a temporary folder beside it and then renames that.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StpError } from '@stp/base';
import { isThere } from '@stp/base/files';
import { partialPath, removeAbandoned } from './partial-folders.ts';

/** Name of a prepared set and of its folder. It cannot name another folder. */
export const SET_NAME = /^[a-z0-9-]{1,64}$/;

/** Error codes of the operating system for a full disk or quota. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** Error codes of a rename to a name that is taken. */
const TAKEN: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);
/** Attempts to replace a folder. Each one fails only if another process was faster. */
const ATTEMPTS_MAX = 10;

/**
 * Runs `write` on an empty folder that becomes `folder` when it is done. Throws STP1002 if `folder` exists and
 * `replace` is false, also if another process finished it meanwhile; STP1406 for a full disk; STP1401 if the folder
 * cannot be made. After any failure the earlier folder is unchanged.
 */
export async function writeFolder<T>(
  folder: string,
  replace: boolean,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  await removeAbandoned(dirname(folder));
  if (!replace && (await isThere(folder))) throw existsAlready(folder);
  const partial = await partialPath(folder);
  try {
    await described(folder, () => mkdir(partial, { recursive: true }));
    const result = await write(partial).catch((error: unknown) => {
      throw isDiskFull(error) ? cannotWrite(folder, error) : error;
    });
    await described(folder, () => (replace ? replaceFolder(partial, folder) : publishNew(partial, folder)));
    return result;
  } finally {
    // The next call removes what cannot be removed now.
    await remove(partial).catch(() => {});
  }
}

/** Renames in one step of the system, which refuses a name that another process has taken. */
async function publishNew(partial: string, folder: string): Promise<void> {
  await rename(partial, folder).catch((error: NodeJS.ErrnoException) => {
    throw TAKEN.has(error.code) ? existsAlready(folder) : error;
  });
}

/** Moves an existing folder aside first, and back if the new one cannot take its place. */
async function replaceFolder(partial: string, folder: string): Promise<void> {
  const aside = await partialPath(folder);
  for (let attempt = 1; ; attempt++) {
    await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    try {
      await rename(partial, folder);
      await remove(aside).catch(() => {});
      return;
    } catch (error) {
      const isTaken = TAKEN.has((error as NodeJS.ErrnoException).code);
      if (!isTaken || attempt === ATTEMPTS_MAX) {
        await rename(aside, folder).catch(() => {});
        throw error;
      }
      await remove(aside);
    }
  }
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

function existsAlready(folder: string): StpError {
  return new StpError('STP1002', `${folder} exists already`, 'Give another --name, or replace it with --replace.');
}

async function described<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StpError ? error : cannotWrite(folder, error as Error);
  }
}

const isDiskFull = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && FULL.has(error.code);

function cannotWrite(folder: string, cause: Error): StpError {
  const message = `${folder} cannot be written: ${cause.message}`;
  const facts = { path: folder };
  if (isDiskFull(cause)) {
    const advice = 'Free space there, or choose a folder on another disk. What was being written has been removed.';
    return new StpError('STP1406', message, advice, { facts, cause, retryable: true });
  }
  const advice =
    'Let this user write there, or choose another folder; STP_DATA or --out names the folder of prepared sets.';
  return new StpError('STP1401', message, advice, { facts, cause });
}
