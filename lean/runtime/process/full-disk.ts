/** A disk without space, where Lean was to write a module: it ends with exit code 1 and no error that a text could have. */
import { statfs } from 'node:fs/promises';

/** Lean removes what it could not finish, so some space is free again. More than any module takes that is written here. */
const FREE_BYTES_MIN = 64 * 1_024 ** 2;

/** Rejects with ENOSPC where the folder's disk has hardly any space. */
export async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= FREE_BYTES_MIN) return;
  const message = `ENOSPC: no space for a compiled module in ${folder} (${Math.round(free / 1_024)} KiB are free)`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'write', path: folder });
}
