/**
 * The Python package as its users see it: a type checker accepts it and the example of its README, under its own settings, and
 * the example prints what the README says. A quarter of a minute of a core.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/stp.ts';
import { systemPython } from './python.ts';
import { smallInterpreter } from './small-environment.ts';

const PACKAGE = join(REPOSITORY, 'packages/python');
const LIMIT_MS = 280_000;
const folder = mkdtempSync(join(tmpdir(), 'stp-python-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The README's first fenced block of a language. */
function block(language: string): string {
  const found = readFileSync(join(PACKAGE, 'README.md'), 'utf8').split(`\`\`\`${language}\n`)[1]!;
  return found.slice(0, found.indexOf('```'));
}

const example = join(folder, 'example.py');
writeFileSync(example, block('python'));
const python = systemPython()?.command ?? null;
if (python === null) console.log('skipped: the example of the Python package (there is no python3)');
const typed = await smallInterpreter('mypy', 'the types of the Python package');

it.skipIf(python === null)('the example of its README prints what it says', { timeout: LIMIT_MS }, async () => {
  const { stdout } = await execa(python!, [example], {
    cwd: REPOSITORY,
    env: { PYTHONPATH: join(PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1,localhost' },
  });
  expect(stdout.trim()).toBe(block('text').trim());
});

describe.skipIf(typed === null)('a type checker', { timeout: LIMIT_MS }, () => {
  const mypy = (...words: string[]) =>
    execa(typed!, ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'mypy'), ...words], {
      cwd: PACKAGE,
      env: { MYPYPATH: join(PACKAGE, 'src') },
      reject: false,
      all: true,
    });

  it('accepts the package and its tests', async () => {
    expect((await mypy()).all).toMatch(/^Success: no issues found in \d+ source files$/u);
  });

  it('accepts what a user writes with it, and finds a wrong type there', async () => {
    expect((await mypy(example)).all).toMatch(/^Success/u);
    writeFileSync(example, `${block('python')}\nverifier.check(1, rows="none")\n`);
    const { all, exitCode } = await mypy(example);
    expect(exitCode).toBe(1);
    expect(all).toMatch(/incompatible type "int"; expected "str"/u);
    expect(all).toMatch(/Unexpected keyword argument "rows"/u);
  });
});
