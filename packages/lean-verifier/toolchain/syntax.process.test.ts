/**
 * Tests what the assembled Lean reads and what it does not, against `docs/assembled-lean.md`. Costs 5 s: one start of Lean for
 * all that works, one for all that does not. Any other Lean must read what works, too.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { leanForTests } from '../testing/toolchain.ts';

const SYNTAX_PATH = join(import.meta.dirname, '../testing/fixtures/syntax.lean');
const DOCUMENT_PATH = join(import.meta.dirname, '../../../docs/assembled-lean.md');

const lean = await leanForTests();
const works = readFileSync(SYNTAX_PATH, 'utf8');
const [, working = '', lacking = ''] = readFileSync(DOCUMENT_PATH, 'utf8').split(/^## What .*$/m);

const messageSchema = z.object({ severity: z.string(), pos: z.object({ line: z.number() }), data: z.string() });
type Message = z.infer<typeof messageSchema>;

async function errorsOf(text: string): Promise<Message[]> {
  const { stdout } = await execa(lean.executable, ['--json', '-DmaxErrors=1000', '--stdin'], {
    input: text,
    reject: false,
  });
  const messages = stdout.split('\n').filter((line) => line.startsWith('{'));
  return messages.map((line) => messageSchema.parse(JSON.parse(line))).filter(({ severity }) => severity === 'error');
}

/** The cells of every row of the tables in a part of the document, heads left out. */
function rows(part: string): string[][] {
  const lines = part.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')));
}

/** Returns the texts in single or double backticks of a cell. */
function codes(cell: string): string[] {
  return Array.from(cell.matchAll(/``(.+?)``|`([^`]+)`/g), ([, double, single]) => double ?? single ?? '');
}

const limits = rows(lacking)
  .filter((cells) => cells.length === 5)
  .map(([, code = '', error = '']) => ({ code: codes(code)[0] ?? '', error: codes(error)[0] ?? '' }));

describe('what works', () => {
  it('gives no error', async () => {
    expect(await errorsOf(works)).toEqual([]);
  });

  it('is in the file that the document names', () => {
    const examples = rows(working).flatMap(([, , cell = '']) => codes(cell));
    expect(examples.length).toBeGreaterThan(150);
    expect(examples.filter((example) => !works.includes(example))).toEqual([]);
  });
});

describe.runIf(lean.source === 'assembled')('what does not work in an assembled Lean', () => {
  it('gives the errors that the document says', async () => {
    expect(limits.length).toBeGreaterThan(25);
    // A namespace each, of three lines: names may repeat, and an unfinished text ends where the next command begins.
    const text = limits.map(({ code }, index) => `namespace Limit${index}\n${code}\nend Limit${index}\n`).join('');
    const errors = await errorsOf(text);
    for (const [index, { code, error }] of limits.entries()) {
      const found = errors.filter(({ pos }) => Math.floor((pos.line - 1) / 3) === index).map(({ data }) => data);
      expect({ code, found }).toEqual({ code, found: expect.arrayContaining([expect.stringContaining(error)]) });
    }
  });

  it('evaluates nothing', async () => {
    const { stdout, exitCode } = await execa(lean.executable, ['--stdin'], { input: '#eval 1 + 1\n', reject: false });
    expect([stdout, exitCode]).toEqual(['', 0]);
  });
});
