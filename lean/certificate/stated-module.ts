/**
 * Our own record of the statements as a compiled module, made before any proof is loaded: each as an axiom, so that it exists
 * without one. What a statement means is fixed there, over its imports alone.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLean } from '../process/its-own-end.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import type { CompiledFile } from './checker.ts';

/** Elaborating a statement takes milliseconds; a whole file of them is given what a header is, and this for each. */
export const STATEMENT_TIMEOUT_MS = 2_000;

export interface StatedTheorem {
  /** Full name in the compiled module. */
  readonly name: string;
  /** Opens and options above the statement, without imports. */
  readonly opens: string;
  /** Everything after the theorem's name: `(a b : Nat) : a + b = b + a`. */
  readonly signature: string;
}

export type StatedModule =
  /** There is a module where `wrong`, what Lean says of statements that it cannot read, by name, is empty. */
  { readonly wrong: ReadonlyMap<string, string>; readonly problem?: never } | { readonly problem: string };

/** Names of the axioms, in the order of the theorems. */
export const statedName = (nonce: string, index: number): string => `_stp${nonce}_stated${index}`;

/** Compiles `<name>.olean` into the checker's own folder. What lies beside the file's module is not looked at. */
export async function compileStatements(
  theorems: readonly StatedTheorem[],
  file: CompiledFile,
  { name, nonce }: { readonly name: string; readonly nonce: string },
): Promise<StatedModule> {
  const { place, scratchDirectory, directory, importLines } = file;
  const path = join(scratchDirectory, `${name}.lean`);
  const lines = [...importLines];
  const lastLines = theorems.map(({ opens, signature }, index) => {
    const axiom = `axiom ${statedName(nonce, index)}${signature}`;
    lines.push(...['section', opens, 'set_option autoImplicit false', axiom, 'end'].join('\n').split('\n'));
    return lines.length;
  });
  await writeFile(path, `${lines.join('\n')}\n`);
  const searchPath = place.environment.searchPath.filter((folder) => folder !== directory);
  const wrong = new Map<string, string>();
  let early = '';
  const exit = await readLean({
    ...place,
    environment: { ...place.environment, searchPath },
    arguments: ['-o', join(scratchDirectory, `${name}.olean`), path],
    input: null,
    workingDirectory: scratchDirectory,
    writable: [scratchDirectory],
    deadlineMs: HEADER_TIMEOUT_MS + theorems.length * STATEMENT_TIMEOUT_MS,
    memoryBytesMax: file.memoryBytesMax,
    signal: file.signal,
  });
  for (const { severity, line, text } of exit.messages) {
    if (severity !== 'error') continue;
    const theorem = theorems[lastLines.findIndex((last) => line <= last)];
    if (theorem === undefined || line <= importLines.length) early ||= text;
    else if (!wrong.has(theorem.name)) wrong.set(theorem.name, text);
  }
  if (early === '' && exit.how === 'finished' && (exit.code === 0 || wrong.size > 0)) return { wrong };
  return { problem: `${exit.how}: ${early || exit.stderr.trim() || 'the statements were not compiled'}` };
}
