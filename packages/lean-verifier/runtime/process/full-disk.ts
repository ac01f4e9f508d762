/** A disk without space, where Lean was to write a module: it ends with exit code 1 and no error that a text could have. */
import { freeBytesOf } from '@stp/base/files';

/** More than any file takes that a check writes. Lean removes what it could not finish, so some space is free again. */
const FREE_BYTES_MIN = 64 * 1_024 ** 2;

export const isFull = (freeBytes: number): boolean => freeBytes < FREE_BYTES_MIN;

/** Rejects with ENOSPC where the folder's disk has hardly any space. */
export async function refuseFullDisk(folder: string): Promise<void> {
  const free = await freeBytesOf(folder);
  if (!isFull(free)) return;
  const message = `ENOSPC: no space for a compiled module in ${folder} (${Math.round(free / 1_024)} KiB are free)`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'write', path: folder });
}
