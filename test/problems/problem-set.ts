/** A problem set as its folder holds it. */
import { join } from 'node:path';
import type { Statement } from '@stp/config/records';
import { readStatements } from '@stp/datasets';

/** Returns its statements in file order. Throws where an id or a name comes twice. */
export async function problemSet(directory: string): Promise<Statement[]> {
  const statements = await Array.fromAsync(readStatements(join(directory, 'statements.jsonl')));
  for (const key of ['id', 'name'] as const) {
    const twice = statements.find((one, index) => statements.findIndex((other) => other[key] === one[key]) < index);
    if (twice !== undefined) throw new Error(`${directory}: ${twice.name} comes twice`);
  }
  return statements;
}
