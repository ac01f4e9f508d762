/** Tests rows that have definitions above their theorem, and rows whose answer is open. Text only, under a second. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Statement } from '@stp/config/records';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { readDataset } from './dataset.ts';
import { rowText } from './row-text.ts';

const THEOREM = 'theorem putnam_x :\n  (∑ i ∈ s, i) = putnam_x_solution :=\nsorry';
const STATED = { name: 'putnam_x', statement: 'theorem putnam_x :\n  (∑ i ∈ s, i) = putnam_x_solution' };
const problemOf = (formal: string, header = 'import Mathlib', answers: 'given' | 'none' = 'given') => {
  const read = rowText(formal, header, answers);
  return 'problem' in read ? read.problem : `taken: ${read.above}`;
};

describe('an answer that is left open', () => {
  test.each([
    ['below it', 'abbrev putnam_x_solution : ℕ := sorry\n-- 2\n', 'abbrev putnam_x_solution : ℕ := 2'],
    ['behind it', 'abbrev putnam_x_solution : ℕ := sorry -- 2', 'abbrev putnam_x_solution : ℕ := 2'],
    [
      'above the words of the problem',
      'noncomputable abbrev putnam_x_solution : Set ℝ := sorry\n-- {x : ℝ | 0 < x ∧ |x| ≤ 1}\n/--\nFind $2$ -- and no more.\n-/',
      'noncomputable abbrev putnam_x_solution : Set ℝ := {x : ℝ | 0 < x ∧ |x| ≤ 1}',
    ],
    [
      'on a line of its own',
      'abbrev putnam_x_solution :\n  ℕ → ℕ :=\n  sorry\n-- fun k ↦ (k - 1 : ℕ)',
      'abbrev putnam_x_solution :\n  ℕ → ℕ := fun k ↦ (k - 1 : ℕ)',
    ],
    ['behind by', 'abbrev putnam_x_solution : Prop := by sorry\n-- True', 'abbrev putnam_x_solution : Prop := True'],
    [
      'beside definitions that are whole',
      'def half (sorryless : ℕ) := sorryless / 2 -- not sorry\nabbrev putnam_x_solution : ℕ := sorry\n-- half 4\nopen Nat',
      'def half (sorryless : ℕ) := sorryless / 2\nabbrev putnam_x_solution : ℕ := half 4\n\nopen Nat',
    ],
  ])('is put in from the comment %s', (_, above, filled) => {
    const read = rowText(`${above}\n${THEOREM}`, 'import Mathlib\nopen Nat', 'given');
    expect(read).toEqual({ theorem: STATED, above: `import Mathlib\nopen Nat\n\n${filled}`, isAnswered: true });
    const inHeader = rowText(THEOREM, `import Mathlib\nopen Nat\n\n${above}\n`, 'given');
    expect(inHeader).toEqual(read);
    expect(problemOf(`${above}\n${THEOREM}`, '', 'none')).toBe('asks for an answer, and --answers is none');
  });

  const OPEN = 'abbrev putnam_x_solution : ℕ := sorry';
  test.each([
    ['no comment', OPEN, 'the open definition has no comment with its answer'],
    ['a doc comment only', `${OPEN}\n/-- 2 -/`, 'the open definition has no comment with its answer'],
    ['an answer of several lines', `${OPEN}\n-- fun n ↦\n--   n`, 'the answer is not in one line comment'],
    ['a block comment', `${OPEN}\n/- 2 -/`, 'the answer is not in one line comment'],
    ['two open definitions', `${OPEN}\n-- 2\nabbrev other : ℕ := sorry\n-- 3`, 'two definitions are left open'],
    ['sorry within a body', 'abbrev x : ℕ := 1 + sorry\n-- 2', 'abbrev above the theorem rests on sorry'],
    ['sorry in its type', 'abbrev x : (sorry : Type) := sorry\n-- 2', 'abbrev above the theorem rests on sorry'],
    ['an open instance', 'instance : Add ℕ := sorry\n-- 2', 'instance above the theorem rests on sorry'],
    ['a definition by admit', 'abbrev x : ℕ := by admit\n-- 2', 'abbrev above the theorem rests on sorry'],
  ])('is no statement with %s', (_, above, problem) => {
    expect(problemOf(`${above}\n${THEOREM}`)).toBe(problem);
  });

  test.each([
    'sorry',
    '(fun n ↦ sorry)',
    '',
    '2)',
    '(2',
    '2 := 3',
    '2 -- or 3',
    '2 /- or',
    '"two"',
    '`two',
    '@[simp] 2',
    '2 #eval 3',
    '«two»',
    '1 + '.repeat(400),
  ])('is not put in where it is no plain term: %j', (answer) => {
    expect(problemOf(`${OPEN}\n-- ${answer}\n${THEOREM}`)).toMatch(/^(?:the answer in the comment is no plain term)$/u);
  });
});

describe('what stands around a theorem', () => {
  test.each([
    ['two theorems', `${THEOREM}\n${THEOREM}`, 'formal_statement has two theorems'],
    ['a definition below it', `${THEOREM}\ndef x := 1`, 'def stands below the theorem'],
    ['a command below it', `${THEOREM}\n#eval 1`, '#e stands below the theorem'],
    ['no theorem', 'def x : Nat :=', 'asks for a construction (def), not for a proof'],
    ['nothing', '', 'formal_statement is not a theorem'],
    ['other words', `Prove:\n${THEOREM}`, 'formal_statement is not a theorem'],
    ['a comment without an end', `/- ${THEOREM}`, 'formal_statement is not a theorem'],
    ['a lemma above it', `theorem a : 1 = 1 := rfl\n${THEOREM}`, 'formal_statement has two theorems'],
    ['an open for one command', `open Nat in\n${THEOREM}`, 'a command above the theorem ends with `in`'],
  ])('is refused: %s', (_, formal, problem) => expect(problemOf(formal)).toBe(problem));

  it('is its header, without comments, and the end of its namespace is not needed', () => {
    const formal = `namespace A -- its own\n\n\n/-- Two. -/\ndef two := 2\n\n${THEOREM}\n\nend A`;
    expect(problemOf(formal, 'import Mathlib -- all')).toBe('taken: import Mathlib\n\nnamespace A\n\ndef two := 2');
  });

  it('is the row’s header as it is where nothing else stands there', () => {
    const header = 'import Mathlib -- all\n\n\n/- here -/ open Nat\ndef two := 2';
    expect(problemOf(`-- see below\n${THEOREM}`, `${header}\n`)).toBe(`taken: ${header}`);
  });
});

describe('files of such rows', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stp-row-text-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const row = (formal: string, header = '') => ({ name: 'x', formal_statement: formal, header, split: 'putnam' });
  const SOLVED = 'abbrev putnam_x_solution : ℕ := sorry\n-- 2\n';

  async function read(rows: readonly unknown[], options: Partial<Parameters<typeof readDataset>[1]> = {}) {
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const dataset = readDataset(path, {
      format: 'putnam-bench',
      header: 'import Mathlib',
      skipInvalid: true,
      ...options,
    });
    const statements: Statement[] = [];
    for await (const statement of dataset.statements) statements.push(statement);
    return { path, statements, report: dataset.report };
  }

  it('say for each row that is left out why and where', async () => {
    const { path, statements, report } = await read([
      row(`${SOLVED}${THEOREM}`),
      row(`abbrev putnam_x_solution : ℕ := sorry\n${THEOREM}`),
      row(`${SOLVED}${THEOREM}`, `import Mathlib\n${'-- long\n'.repeat(500)}open Nat\n`),
      row(`def long := ${'1 + '.repeat(1_100)}1\n${THEOREM}`),
      row(`abbrev putnam_x_solution : ℕ := sorry\n${THEOREM}`),
    ]);
    expect(statements.map(({ header }) => header)).toEqual([
      'import Mathlib\n\nabbrev putnam_x_solution : ℕ := 2',
      'import Mathlib\n\nopen Nat\n\nabbrev putnam_x_solution : ℕ := 2',
    ]);
    expect(report).toMatchObject({
      rows: 5,
      statements: 2,
      skipped: 3,
      skippedFor: {
        'the open definition has no comment with its answer': 2,
        'what stands above the theorem is longer than 4096 characters': 1,
      },
    });
    expect(report.skippedRows[0]).toBe(`${path}:2: the open definition has no comment with its answer`);
  });

  it('leave out an answer that the checker would refuse, and rows without imports that define something', async () => {
    const headerRefusal = (header: string) => (header.includes('native_decide') ? 'header:3:0: native_decide' : null);
    const bad = row(`abbrev putnam_x_solution : ℕ := sorry\n-- by native_decide\n${THEOREM}`);
    expect((await read([bad], { headerRefusal })).report.skippedFor).toEqual({
      'its answer is not taken: header:3:0: native_decide': 1,
    });
    expect((await read([row(`${SOLVED}${THEOREM}`)], { header: null })).report.skippedFor).toEqual({
      'defines something, and has no header with imports': 1,
    });
  });

  it('take a whole file as its own header, and are told apart by what they define', async () => {
    const whole = (answer: string, name = 'putnam_x_solution') =>
      row(
        `import Mathlib\nopen Nat\n\nabbrev ${name} : ℕ := sorry\n-- ${answer}\n${THEOREM.replace(STATED.name, 'y')}`.replaceAll(
          'putnam_x_solution',
          name,
        ),
      );
    const { statements } = await read([whole('2'), whole('3'), whole('2', 'other'), row(THEOREM)]);
    expect(statements[0]!.header).toBe('import Mathlib\nopen Nat\n\nabbrev putnam_x_solution : ℕ := 2');
    const [two, three, renamed, plain] = statements.map(({ id }) => id);
    expect(renamed).toBe(two);
    expect(new Set([two, three, plain]).size).toBe(3);
  });
});
