/** Rows for `stp verify`, and its answers read. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const STATEMENT = 'theorem t (a b : Nat) : a + b = b + a';
export const good = (id: string) => ({
  id,
  header: 'import Init',
  statement: STATEMENT,
  proof: '  exact Nat.add_comm a b',
});
/** The sum of many, each of them different. */
export const sum = (index: number) => ({
  ...good(`sum ${index}`),
  statement: `theorem t (a b : Nat) : a + b + ${index} = ${index} + b + a`,
  proof: '  omega',
});

export const linesOf = (rows: readonly unknown[]): string =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

/** Writes a file in a new folder below this one. */
export async function fileOf(rows: readonly unknown[], directory: string): Promise<string> {
  const path = join(await mkdtemp(join(directory, 'rows-')), 'rows.jsonl');
  await writeFile(path, linesOf(rows));
  return path;
}

export function answersOf(stdout: unknown): Record<string, unknown>[] {
  const lines = String(stdout).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}
