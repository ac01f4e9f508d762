import { statfs } from 'node:fs/promises';

/**
 * Returns the bytes that an unprivileged user can still write to the folder's disk. Rejects if there is no such folder.
 */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
