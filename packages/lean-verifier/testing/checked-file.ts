/** Checks whole Lean files in tests. The folder for them is removed after the tests. */
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

/** Returns the report on a text. `name` is its file name in `folder`. */
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

/** Returns theorems and examples in the order of the file. */
export const inOrder = ({ theorems, examples = [] }: FileReport): FileReport['theorems'] =>
  [...theorems, ...examples].toSorted((a, b) => a.line - b.line);
