/**
 * Reads memory and processor time of a process from /proc. A read takes some hundredths of a millisecond and never
 * blocks. Without /proc there are no figures.
 */
import { readFileSync } from 'node:fs';

export interface Resources {
  /** `VmRSS` of /proc, in bytes. */
  readonly residentBytes: number;
  /** User and system time of all threads, and of the children that the process has waited for, ms. */
  readonly cpuMs: number;
}

/** Linux counts processor time in hundredths of a second on every architecture that Lean is built for. */
const MS_PER_TICK = 10;

/** Null if the figures cannot be read: there is no /proc, or the process is gone. */
export function readResources(pid: number): Resources | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const statistics = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    // The program's name is in parentheses and may contain blanks. Fields are counted after it; the state is the third.
    const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return kibibytes === undefined ? null : { residentBytes: Number(kibibytes) * 1024, cpuMs: ticks * MS_PER_TICK };
  } catch {
    return null;
  }
}
