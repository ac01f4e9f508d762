/** Whole Lean files for the tests of a file: a folder for them and for what their check makes, removed after the tests. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { checkFile } from '../trust/check-file.ts';
import type { CheckFileOptions, FileReport } from '../trust/file-report.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { coreEnvironment, scratchFolder } from './environment.ts';

export const folder = scratchFolder();
export const scratchDirectory = join(folder, 'scratch');
export let environment: LeanEnvironment;

beforeAll(async () => {
  mkdirSync(scratchDirectory);
  environment = await coreEnvironment();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The report on a text; `name`: of its file in `folder`. */
export function checkText(
  text: string | Buffer,
  {
    name = 'File.lean',
    lean = environment,
    ...options
  }: Partial<CheckFileOptions> & { readonly name?: string; readonly lean?: LeanEnvironment } = {},
): Promise<FileReport> {
  const path = join(folder, name);
  writeFileSync(path, text);
  return checkFile(path, lean, { scratchDirectory, ...options });
}

/** Theorems and examples in the order of the file. */
export const inOrder = ({ theorems, examples = [] }: FileReport): FileReport['theorems'] =>
  [...theorems, ...examples].toSorted((a, b) => a.line - b.line);
