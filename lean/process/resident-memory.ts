/** Resident memory of a process, read from /proc. Knows nothing where there is no /proc; the watch is then off. */
import { readFile } from 'node:fs/promises';

/** `VmRSS` of `/proc/<pid>/status`, bytes; null where it cannot be read (no /proc, or the process is gone). */
export async function residentBytes(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
