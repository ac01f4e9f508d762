/** Detects a full disk. If Lean cannot write a module, it ends with exit code 1 and no message about the text. */
import { freeBytesOf } from '@stp/base/files';

/** More than any file that a check writes. Lean removes incomplete files, so some space is free again afterwards. */
const FREE_BYTES_MIN = 64 * 1_024 ** 2;

export const isFull = (freeBytes: number): boolean => freeBytes < FREE_BYTES_MIN;

/** Rejects with ENOSPC if the folder's disk has hardly any free space. */
export async function refuseFullDisk(folder: string): Promise<void> {
  const free = await freeBytesOf(folder);
  if (!isFull(free)) return;
  const message = `ENOSPC: no space for a compiled module in ${folder} (${Math.round(free / 1_024)} KiB are free)`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'write', path: folder });
}
