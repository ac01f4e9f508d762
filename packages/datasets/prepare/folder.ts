/**
 * Writes a folder whole or not at all: fills a temporary folder beside it and then renames that.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { isThere } from '@stp/base/files';

/** Name of a prepared set and of its folder. It cannot name another folder. */
export const SET_NAME = /^[a-z0-9-]{1,64}$/;

/**
 * Runs `write` on an empty folder that becomes `folder` when it is done. Throws STP1002 if `folder` exists and
 * `replace` is false. After any failure the earlier folder is unchanged.
 */
export async function writeFolder<T>(
  folder: string,
  replace: boolean,
  write: (partial: string) => Promise<T>,
): Promise<T> {
  if (!replace && (await isThere(folder)))
    throw new StpError('STP1002', `${folder} exists already`, 'Give another --name, or replace it with --replace.');
  const partial = join(dirname(folder), `.${basename(folder)}-${randomUUID()}`);
  await mkdir(partial, { recursive: true });
  try {
    const result = await write(partial);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
    return result;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
