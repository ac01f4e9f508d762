/**
 * Writes a folder whole or not at all: it fills a temporary folder next to it and renames that when everything is in
 * it.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import { isThere } from '@stp/base/files';

/** Name of a prepared set, which is that of its folder: nothing that could name another folder, or none. */
export const SET_NAME = /^[a-z0-9-]{1,64}$/;

/**
 * Runs `write` on an empty folder that becomes `folder` when it is done. STP1002 where `folder` exists already and
 * `replace` is false; after any failure the earlier folder is unchanged.
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
