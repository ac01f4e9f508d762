/**
 * Writes a folder whole or not at all: fills a temporary folder beside it and then renames that.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StpError } from '@stp/base';
import { isDiskFull, isThere, publishFolder } from '@stp/base/files';
import { makePartial, removeAbandoned } from './partial-folders.ts';

/** Name of a prepared set and of its folder. It cannot name another folder. */
export const SET_NAME = /^[a-z0-9-]{1,64}$/;

/**
 * Runs `write` on an empty folder that becomes `folder` when it is done. Throws STP1002 if `folder` exists and
 * `replace` is false, also if another process finished it meanwhile; STP1406 for a full disk; STP1401 if the folder
 * cannot be made. If `write` fails, the earlier folder is unchanged.
 */
export async function writeFolder<T>(
  folder: string,
  replace: boolean,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  await removeAbandoned(dirname(folder));
  if (!replace && (await isThere(folder))) throw existsAlready(folder);
  const partial = await described(folder, () => makePartial(dirname(folder)));
  try {
    const result = await write(partial).catch((error: unknown) => {
      throw isDiskFull(error) ? cannotWrite(folder, error as Error) : error;
    });
    const mayStay = async () => {
      if (!replace) throw existsAlready(folder);
      return false;
    };
    await described(folder, () => publishFolder(partial, folder, mayStay));
    return result;
  } finally {
    // The next call removes what cannot be removed now.
    await rm(partial, { recursive: true, force: true }).catch(() => {});
  }
}

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
