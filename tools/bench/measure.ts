/** Takes and prints figures: medians, one row per figure. */
import { readFileSync } from 'node:fs';

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

/** Returns the processor time of its children and theirs that have ended so far, user and system, seconds. Needs /proc. */
export function endedChildrenCpuSeconds(): number {
  const statistics = readFileSync('/proc/self/stat', 'utf8');
  // Fields are counted after the program's name, state being the third: 16 and 17 are those of the children.
  const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
