/** How figures are taken and printed: medians, one row a figure. */

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export function row(name: string, value: number, unit: string, digits = 0): void {
  console.log(`${name.padEnd(58)} ${value.toFixed(digits).padStart(9)} ${unit}`);
}

/** What a process has used so far, user and system, seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
