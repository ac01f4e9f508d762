/** Takes and prints measurements: medians, one row per figure. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { RUN_MARK } from '@stp/base/files';

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export function row(name: string, value: number, unit: string, digits = 0): void {
  console.log(`${name.padEnd(58)} ${value.toFixed(digits).padStart(9)} ${unit}`);
}

/** Returns the processor time of a process so far, user and system, seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Linux counts processor time in hundredths of a second on every architecture that Lean is built for. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the processor time of its children and theirs that have ended so far, user and system, seconds. Needs /proc.
 */
export function endedChildrenCpuSeconds(): number {
  return secondsIn(readFileSync('/proc/self/stat', 'utf8'), 13);
}

/**
 * Returns the processor time of this process, of its children that have ended, and of those with this mark that run,
 * seconds. Linux only.
 */
export async function processorSeconds(mark: string): Promise<number> {
  const running = await markedFigures(mark);
  return cpuSeconds() + endedChildrenCpuSeconds() + running.reduce((sum, { cpuSeconds: own }) => sum + own, 0);
}

/**
 * Fields are counted after the program's name, state being the third: 16 and 17 are those of the children, 14 and 15
 * its own.
 */
function secondsIn(statistics: string, first: number): number {
  const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
}

export interface ProcessFigures {
  /** Peak memory, bytes. */
  readonly peakBytes: number;
  /** Processor time so far, user and system. */
  readonly cpuSeconds: number;
}

/** Returns figures of each running process with this mark. Works only on Linux; elsewhere the list is empty. */
export async function markedFigures(mark: string): Promise<ProcessFigures[]> {
  const found: ProcessFigures[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(`${RUN_MARK}=${mark}`)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const statistics = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const kibibytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    if (kibibytes === undefined || statistics === '') continue;
    found.push({ peakBytes: 1_024 * Number(kibibytes), cpuSeconds: secondsIn(statistics, 11) });
  }
  return found;
}
