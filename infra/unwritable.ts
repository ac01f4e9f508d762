/** Reports a folder of this machine that cannot be written: it belongs to another user, or is no folder. */
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { StpError } from '@stp/base';

const ADVICE =
  'Make it writable, or name another folder: STP_CACHE names the cache, STP_SCRATCH the folder for scratch files.';

/** Returns a handler of errors that throws STP1401 for an error of the system, and rethrows others. */
export function unwritable(folder: string): (error: unknown) => never {
  return (cause) => {
    const { errno } = cause as NodeJS.ErrnoException;
    if (errno === undefined) throw cause;
    const problem = `cannot write to ${folder}: ${getSystemErrorMessage(errno)}`;
    throw new StpError('STP1401', problem, ADVICE, { facts: { folder }, cause });
  };
}

/** Throws STP1401 if this process may not write to the folder or, where it is missing, may not make it. Makes nothing. */
export async function requireWritable(folder: string): Promise<void> {
  for (let path = folder; ; path = dirname(path))
    try {
      // The slash refuses a file.
      return await access(`${path}/`, constants.W_OK | constants.X_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path === dirname(path)) unwritable(folder)(error);
    }
}
