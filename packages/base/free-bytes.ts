import { statfs } from 'node:fs/promises';

/** Returns the bytes that a user without privileges may still write on the folder's disk. Rejects where there is no such folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
