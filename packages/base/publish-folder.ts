/** Publishes a finished folder under its final name. */
import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';

/** Attempts before the error of the system is thrown. Each one fails only if another process was faster. */
const ATTEMPTS_MAX = 10;
/** Error codes of a rename to a name that a folder or, for the last one, a file has. */
const TAKEN: ReadonlySet<string | undefined> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/**
 * Renames `finished` to `final`, on the same file system. If `final` exists, it stays if it is good, and `finished` is left
 * where it is. Otherwise `final` is replaced. Concurrent calls are safe, in other processes too.
 * @param isGood whether the existing folder may stay
 */
export async function publishFolder(finished: string, final: string, isGood: () => Promise<boolean>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(finished, final);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!TAKEN.has(code) || attempt === ATTEMPTS_MAX) throw error;
      if (await isGood()) return;
      await removeAtOnce(final);
    }
  }
}

/** Renames the folder before it is removed, so that a folder that another process publishes meanwhile keeps its files. */
async function removeAtOnce(folder: string): Promise<void> {
  const aside = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.old`;
  await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(aside, { recursive: true, force: true });
}
