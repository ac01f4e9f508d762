/**
 * Reads exports of lean4export, format 3.1: a line `meta`, then names, levels, expressions and declarations, one JSON
 * object per line. Reads a stream and keeps only the terms. Other versions are refused by name, because they give the
 * same words other meanings.
 */

import type { Declaration } from '../declaration.ts';
import type { Terms } from '../expr.ts';
import { InputError } from '../input-error.ts';
import { Misshapen, record, text as string } from '../shape.ts';
import { Decline } from '../verdict.ts';
import { readLines } from './lines.ts';
import { readExpr, readLevel, readName } from './nodes.ts';
import { readDeclaration } from './records.ts';
import { emptyTables, Malformed } from './tables.ts';

/** Maximum bytes of a line. A mutual block with its recursors is one line. */
const LINE_BYTES_MAX = 64_000_000;
/** Maximum entries of each table: arrays of this many terms exceed the memory of most machines. */
const ENTRIES_MAX = 200_000_000;
const VERSION = /^3\.1(\.\d+)?$/;

const meta = record({ meta: record({ format: record({ version: string }) }) });

/**
 * Yields the declarations of an export in order. Throws `InputError` with the line for a file that is not an export of
 * a supported version, and `Decline` for an export that exceeds a limit of this kernel.
 */
export async function* readExport(terms: Terms, file: string): AsyncGenerator<Declaration> {
  const tables = emptyTables(terms, ENTRIES_MAX);
  let number = 0;
  for await (const lines of readLines(file, LINE_BYTES_MAX)) {
    for (const text of lines) {
      number++;
      let declaration: Declaration | null = null;
      try {
        const line: unknown = JSON.parse(text);
        if (typeof line !== 'object' || line === null || Array.isArray(line)) throw new Malformed('no JSON object');
        if (number === 1) requireVersion(line);
        else if ('ie' in line) readExpr(terms, tables, line as Record<string, unknown>);
        else if ('in' in line) readName(terms, tables, line as Record<string, unknown>);
        else if ('il' in line) readLevel(terms, tables, line as Record<string, unknown>);
        else declaration = readDeclaration(tables, line);
      } catch (error) {
        throw malformed(error, file, number);
      }
      if (declaration !== null) yield declaration;
    }
  }
  if (number === 0) throw malformed(new Malformed('the file is empty'), file, 1);
}

function requireVersion(line: object): void {
  let version: string;
  try {
    ({ version } = meta(line, '').meta.format);
  } catch (cause) {
    throw new Malformed('the first line does not say which format this is (`meta`)', { cause });
  }
  if (!VERSION.test(version)) throw new Decline(`its format is ${version}; this kernel reads 3.1`);
}

function malformed(error: unknown, file: string, line: number): unknown {
  if (error instanceof Decline) return new Decline(`${file}:${line}: ${error.message}`);
  // A table reached the maximum size of an array, or memory was exhausted.
  if (error instanceof RangeError) return new Decline(`${file}:${line}: ${error.message}`);
  let reason: string;
  if (error instanceof Malformed || error instanceof Misshapen || error instanceof SyntaxError) reason = error.message;
  else return error;
  return new InputError(
    `${file}:${line}: ${reason}`,
    'Export the file again with lean4export of format 3.1, or give another file.',
    { facts: { file, line } },
  );
}
