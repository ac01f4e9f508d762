/** The dataset readers on files as the public datasets write them, and on damaged ones. Under 1 s. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { LINE_BYTES_MAX, readJsonArray, readLines } from '@stp/base/files';
import { statementId } from '@stp/config/ids';
import type { Statement } from '@stp/config/records';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatasetOptions, readDataset, readStatements } from './dataset.ts';
import { theoremText } from './theorem-text.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-loaders-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function file(content: string | Uint8Array): Promise<string> {
  const path = join(directory, `${Math.random().toString(36).slice(2)}.data`);
  await writeFile(path, content);
  return path;
}

async function collect(path: string, options: DatasetOptions) {
  const dataset = readDataset(path, options);
  const statements: Statement[] = [];
  for await (const statement of dataset.statements) statements.push(statement);
  return { statements, report: dataset.report };
}

async function errorOf(promise: Promise<unknown>): Promise<StpError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StpError);
  return error as StpError;
}

const lines = (...rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const record = (statement: string, name: string): Statement => ({
  id: statementId(null, statement),
  name,
  header: null,
  statement,
  split: 'train',
  labels: ['a'],
  weight: 1,
});

describe('theorem text', () => {
  it('is what stands before the last sorry, not before an earlier one', () => {
    const statement = 'theorem a (sorry_free : Nat) : (sorry_free : Nat) = sorry_free';
    expect(theoremText(`${statement} := by sorry`)?.statement).toBe(statement);
  });

  it.each([
    ['theorem a (x : ℝ) : x = x := by', 'a', 'theorem a (x : ℝ) : x = x'],
    ['theorem a : 1 = 1 :=', 'a', 'theorem a : 1 = 1'],
    ['theorem a : 1 = 1 := sorry', 'a', 'theorem a : 1 = 1'],
    ['theorem a : 1 = 1 := by sorryby', 'a', 'theorem a : 1 = 1'],
    ['theorem a : 1 = 1 :=\n  sorry\nby', 'a', 'theorem a : 1 = 1'],
    [
      "-- encoded in the theorem statement\n/- two\nlines -/\nlemma a.b' : 1 = 1 := by\n  sorry",
      "a.b'",
      "theorem a.b' : 1 = 1",
    ],
    [
      'theorem a\n  (h : ∃ sorry : Nat, sorry = 1) : 1 = 1 := by sorry',
      'a',
      'theorem a\n  (h : ∃ sorry : Nat, sorry = 1) : 1 = 1',
    ],
    ['theorem a{n : Nat} : n = n := by', 'a', 'theorem a{n : Nat} : n = n'],
    ['theorem a : (fun x : Nat => x) = id', 'a', 'theorem a : (fun x : Nat => x) = id'],
    ['theorem a (n : Nat) : n = n := by\n  -- your proof here\n  sorry', 'a', 'theorem a (n : Nat) : n = n'],
    ['theorem a (n : Nat) : n = n := by omega', 'a', 'theorem a (n : Nat) : n = n'],
    ['theorem a (n : Nat) : n = n := rfl', 'a', 'theorem a (n : Nat) : n = n'],
    ['theorem a (n : Nat) : n = n -- := by\n  := by /- sorry -/ simp', 'a', 'theorem a (n : Nat) : n = n'],
    [
      'theorem a /- := -/ (n : Nat) : -- := sorry\n  n = n := by\n  sorry',
      'a',
      'theorem a          (n : Nat) :\n  n = n',
    ],
    [
      'theorem a : "sorry := by" ≠ "" ∧ \'"\' = \'(\' := by decide',
      'a',
      'theorem a : "sorry := by" ≠ "" ∧ \'"\' = \'(\'',
    ],
    [
      'theorem a (n : Nat := 3) (h : n = 2 := by decide) : f (k := n) { x := 1 } := sorry',
      'a',
      'theorem a (n : Nat := 3) (h : n = 2 := by decide) : f (k := n) { x := 1 }',
    ],
    ['theorem a : let x := 1; let y := x; x = y := rfl', 'a', 'theorem a : let x := 1; let y := x; x = y'],
    [
      'theorem a : letI x := 1; haveI : True := h; x = x := by rfl',
      'a',
      'theorem a : letI x := 1; haveI : True := h; x = x',
    ],
    ['theorem a : ∀ n : Nat, n = n\n  | 0 => rfl\n  | n + 1 => rfl', 'a', 'theorem a : ∀ n : Nat, n = n'],
    ['theorem a : ∀ n : Nat, n = n | 0 => rfl | _ => rfl', 'a', 'theorem a : ∀ n : Nat, n = n'],
    ['theorem a (x : ℝ) : |x| ≤ |x| + 1 := by sorry', 'a', 'theorem a (x : ℝ) : |x| ≤ |x| + 1'],
    [
      'theorem a : match b with | true => True | false => True := by sorry',
      'a',
      'theorem a : match b with | true => True | false => True',
    ],
    ['theorem a : p ∧ q where\n  left := h\n  right := g', 'a', 'theorem a : p ∧ q'],
    ['theorem a (wherever : Nat) : wherever = 1', 'a', 'theorem a (wherever : Nat) : wherever = 1'],
    ['theorem «a := b» : 1 = 1 := by simp', '«a := b»', 'theorem «a := b» : 1 = 1'],
  ])('%j', (formal, name, statement) => {
    expect(theoremText(formal)).toEqual({ name, statement });
  });

  it.each([
    'def a : Nat := sorry',
    'abbrev a : Nat := sorry\ntheorem b : a = 1 := sorry',
    '',
    'theorem',
    'theorem a := by',
    '/- theorem a : 1 = 1',
  ])('%j is refused', (formal) => {
    expect(theoremText(formal)).toBeNull();
  });

  it('keeps every signature with any ending', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/u).filter((text) => !text.includes('sorry'));
    const ending = fc.constantFrom(
      ' := by',
      ' :=',
      ' := sorry',
      ' := by sorry',
      ' := by\n  sorry',
      '',
      ' := by sorryby',
    );
    fc.assert(
      fc.property(word, word, ending, (name, variable, end) => {
        const statement = `theorem ${name} (${variable} : Nat) : ${variable} = ${variable}`;
        expect(theoremText(statement + end)).toEqual({ name, statement });
      }),
      { seed: 21 },
    );
  });
});

describe('formats', () => {
  it('miniF2F: a JSON array, split by its own words', async () => {
    const path = await file(
      JSON.stringify([
        { formal_statement: 'theorem a : 1 = 1 := by', split: 'miniF2F valid', tags: null },
        { formal_statement: 'theorem b : 2 = 2 := by sorryby', split: 'miniF2F test', tags: ['algebra'] },
      ]),
    );
    const { statements, report } = await collect(path, { format: 'minif2f', weight: 256 });
    expect(statements).toEqual([
      { ...record('theorem a : 1 = 1', 'a'), labels: ['miniF2F valid'], weight: 256 },
      { ...record('theorem b : 2 = 2', 'b'), labels: ['miniF2F test', 'algebra'], weight: 256, split: 'held-out' },
    ]);
    expect(report).toEqual({ rows: 2, statements: 2, skipped: 0, skippedFor: {}, skippedRows: [] });
  });

  it('miniF2F and LeanWorkbook: with the headers of those rows that bring one', async () => {
    const row = (name: string, header?: unknown) => ({
      ...{ name, formal_statement: `theorem ${name} : 1 = 1 := by sorry`, split: 'test' },
      ...(header === undefined ? {} : { header }),
    });
    const own = 'import Mathlib\n\nopen Real Nat';
    for (const format of ['minif2f', 'lean-workbook'] as const) {
      const options = { format, header: 'import Mathlib', skipInvalid: true };
      const path = await file(lines(row('a', `${own}\n\n`), row('b'), row('c', null), row('d', 5)));
      const { statements, report } = await collect(path, options);
      expect(statements.map(({ header }) => header)).toEqual([own, 'import Mathlib', 'import Mathlib']);
      expect(report.skippedRows).toEqual([expect.stringContaining(':4: header: ')]);
    }
  });

  it('ProofNet: JSON Lines or an array, with its headers', async () => {
    const row = (name: string, split: string) => ({
      name,
      split,
      informal_prefix: '/-- … -/',
      formal_statement: `theorem ${name} {f : ℂ → ℂ} : f = f :=`,
      goal: '⊢ f = f',
      header: 'import Mathlib\n\nopen Complex\n\n',
    });
    const rows = [row('a', 'Proofnet valid'), row('b', 'Proofnet test')];
    const { statements } = await collect(await file(lines(...rows)), { format: 'proofnet' });
    expect(statements.map(({ name, split, header }) => [name, split, header])).toEqual([
      ['a', 'train', 'import Mathlib\n\nopen Complex'],
      ['b', 'held-out', 'import Mathlib\n\nopen Complex'],
    ]);
    expect((await collect(await file(JSON.stringify(rows)), { format: 'proofnet' })).statements).toEqual(statements);
  });

  it('PutnamBench is held out', async () => {
    const row = {
      name: 'putnam_1962_a1',
      formal_statement: 'theorem putnam_1962_a1 : 1 = 1 :=',
      informal_prefix: '',
      header: 'import Mathlib',
      split: 'putnam bench',
      tags: ['geometry'],
    };
    const { statements } = await collect(await file(lines(row)), { format: 'putnam-bench' });
    expect(statements[0]).toMatchObject({ split: 'held-out', labels: ['putnam bench', 'geometry'] });
  });

  it('LeanWorkbook needs a statement only, and takes a header and a split', async () => {
    const path = await file(lines({ formal_statement: 'theorem lean_workbook_1 : 1 = 1 := by sorry' }));
    const options = { format: 'lean-workbook', header: 'import Mathlib', split: 'held-out' } as const;
    const { statements } = await collect(path, options);
    expect(statements[0]).toMatchObject({ header: 'import Mathlib', split: 'held-out', labels: [] });
    expect(statements[0]!.id).toBe(statementId('import Mathlib', 'theorem lean_workbook_1 : 1 = 1'));
    expect((await collect(path, { format: 'lean-workbook' })).statements[0]).toMatchObject({
      header: null,
      split: 'train',
    });
  });
});

describe('excerpts of the public files', () => {
  const fixture = (name: string) => join(import.meta.dirname, '../../../test/fixtures/datasets', name);

  it('ProofNet’s statements end in := and miniF2F’s in := by or in a sorry; ours in neither', async () => {
    const minif2f = await collect(fixture('minif2f.json'), { format: 'minif2f' });
    const proofnet = await collect(fixture('proofnet.jsonl'), { format: 'proofnet', skipInvalid: true });
    const sources = await readFile(fixture('minif2f.json'), 'utf8');
    expect(JSON.parse(sources).map((row: { formal_statement: string }) => row.formal_statement.slice(-5))).toEqual(
      expect.arrayContaining([':= by', 'rryby']),
    );
    expect(minif2f.statements.length).toBe(minif2f.report.rows);
    for (const { statement } of [...minif2f.statements, ...proofnet.statements])
      expect(statement).toMatch(/^theorem (?![\s\S]*(?::=\s*(?:by)?\s*$|sorry))/);
    expect(proofnet.report).toMatchObject({ rows: 4, statements: 3, skipped: 1 });
    expect(proofnet.statements.map(({ split }) => split)).toContain('held-out');
  });
});

describe('plain rows', () => {
  it('need a statement under either key; header, split, tags and weight are theirs, the set stands first in the labels', async () => {
    const path = await file(
      lines(
        { statement: 'theorem a : 1 = 1', split: 'held-out', tags: ['x'], header: 'import Mathlib', weight: 7 },
        { formal_statement: 'theorem b : 1 = 1 := by sorry', split: null, header: null, informal: '…' },
      ),
    );
    const { statements } = await collect(path, { format: 'plain', set: 'mine' });
    expect(statements).toMatchObject([
      { name: 'a', split: 'held-out', labels: ['mine', 'held-out', 'x'], header: 'import Mathlib', weight: 7 },
      { name: 'b', split: 'train', labels: ['mine'], header: null, weight: 1 },
    ]);
    const bad = await errorOf(collect(await file(lines({ split: 'train' })), { format: 'plain' }));
    expect(bad.message).toContain(':1: row: neither formal_statement nor statement');
  });
});

describe('JSON arrays', () => {
  const rowsOf = async (content: string | Uint8Array, max = 1_000) =>
    Array.fromAsync(readJsonArray(await file(content), max));
  const values = async (content: string | Uint8Array, max?: number) =>
    (await rowsOf(content, max)).map(({ text }) => JSON.parse(text));

  it('are read element by element, with any values and white space', async () => {
    const json = fc.array(fc.jsonValue(), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(0, 1, '\t'), async (elements, indent) => {
        const written = JSON.stringify(elements, null, indent);
        expect(await values(written, written.length * 4)).toEqual(JSON.parse(written));
      }),
      { numRuns: 60, seed: 20 },
    );
  });

  it('cross chunk borders whole, with brackets and quotes in strings, and keep their line', async () => {
    const elements = Array.from({ length: 3_000 }, (_, index) => ({ text: `]},{[\\"β${'é'.repeat(index % 90)}\\` }));
    const found = await rowsOf(`\ufeff [\r\n${elements.map((element) => JSON.stringify(element)).join(',\r\n')}\n]\n`);
    expect(found.map(({ text }) => JSON.parse(text))).toEqual(elements);
    expect(found.map(({ line, row }) => [line, row])).toEqual(elements.map((_, index) => [index + 2, index + 1]));
  });

  it.each([
    ['', 'no JSON array'],
    ['{"a": 1}', 'text before the array'],
    ['[1, 2', 'the array does not end'],
    ['[1, "2]', 'the array does not end'],
    ['[1,]', 'an element is missing'],
    ['[,1]', 'an element is missing'],
    ['[1] 2', 'text after the array'],
    ['[1]]', 'text after the array'],
    ['[}]', 'a bracket closes that was not opened'],
  ])('%j is refused', async (content, problem) => {
    expect((await errorOf(rowsOf(content))).message).toContain(`:1: ${problem}`);
  });

  it('have a limit for an element, not for the whole', async () => {
    expect(await rowsOf(JSON.stringify(Array.from({ length: 400 }, () => 'x'.repeat(900))))).toHaveLength(400);
    const error = await errorOf(rowsOf(`[1,\n"${'x'.repeat(70_000)}"]`));
    expect(error.message).toContain(':2: element 2 is longer than 1000 bytes');
  });
});

describe('invalid rows', () => {
  const good = { formal_statement: 'theorem a : 1 = 1 := by', split: 'x' };
  const rows = [good, { formal_statement: 'def b : Nat :=', split: 'x' }, { split: 'x' }, good];

  it('are errors with file and line', async () => {
    const path = await file(`${lines(good)}\n${lines(...rows.slice(1))}`);
    const error = await errorOf(collect(path, { format: 'minif2f' }));
    expect(error.code).toBe('STP1501');
    expect(error.message).toBe(`${path}:3: asks for a construction (def), not for a proof`);
  });

  it('are counted and named when they are left out', async () => {
    const path = await file(`${lines(...rows)}{"formal_statement": \n`);
    const { statements, report } = await collect(path, { format: 'minif2f', skipInvalid: true });
    expect(statements).toHaveLength(2);
    expect(report).toMatchObject({ rows: 5, statements: 2, skipped: 3 });
    expect(report.skippedRows[0]).toBe(`${path}:2: asks for a construction (def), not for a proof`);
    expect(report.skippedRows[1]).toContain(`${path}:3: formal_statement:`);
    expect(report.skippedRows[2]).toContain(`${path}:5: not JSON`);
  });

  it('in an array have their row', async () => {
    const path = await file(JSON.stringify(rows));
    expect((await errorOf(collect(path, { format: 'minif2f' }))).message).toContain(`${path}:1 row 2:`);
  });

  it('a statement over the limit is one', async () => {
    const path = await file(lines({ formal_statement: `theorem a : ${'1 + '.repeat(4_000)}1 = 1 := by`, split: 'x' }));
    expect((await errorOf(collect(path, { format: 'minif2f' }))).message).toContain(':1: statement:');
  });

  it('a broken array is an error even when rows may be left out', async () => {
    const error = await errorOf(collect(await file('[{"formal_statement":'), { format: 'minif2f', skipInvalid: true }));
    expect(error.code).toBe('STP1501');
  });

  it('a missing file is an error of its own', async () => {
    expect((await errorOf(collect(join(directory, 'none'), { format: 'minif2f' }))).code).toBe('STP1405');
  });
});

describe('lines', () => {
  const linesOf = async (content: string | Uint8Array) => {
    const found: { line: number; text: string }[] = [];
    for await (const line of readLines(await file(content))) found.push(line);
    return found;
  };

  it('are numbered; blank ones, carriage returns and a missing last end do not matter', async () => {
    expect(await linesOf('a\r\n\n  \nb\nβ')).toEqual([
      { line: 1, text: 'a' },
      { line: 4, text: 'b' },
      { line: 5, text: 'β' },
    ]);
    expect(await linesOf('')).toEqual([]);
  });

  it('cross chunk borders whole', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}${'é'.repeat(3_000 + index)}`);
    expect((await linesOf(texts.join('\n'))).map(({ text }) => text)).toEqual(texts);
  });

  it('have a limit, and must be UTF-8', async () => {
    expect(await linesOf('x'.repeat(LINE_BYTES_MAX))).toHaveLength(1);
    expect((await errorOf(linesOf(`a\n${'x'.repeat(LINE_BYTES_MAX + 1)}`))).message).toContain(':2: line longer');
    expect((await errorOf(linesOf(`a\n${'x'.repeat(LINE_BYTES_MAX + 1)}\nb`))).message).toContain(':2: line longer');
    expect((await errorOf(linesOf(Uint8Array.of(0x61, 0x0a, 0xff, 0x0a)))).message).toContain(':2: not UTF-8');
  });
});

describe('our own records', () => {
  const one = record('theorem a : 1 = 1', 'a');
  const read = async (...rows: unknown[]) => {
    const found: Statement[] = [];
    for await (const statement of readStatements(await file(lines(...rows)))) found.push(statement);
    return found;
  };

  it('are read as they are', async () => {
    expect(await read(one)).toEqual([one]);
  });

  it.each([
    ['an id that is not the hash', { ...one, id: 'other' }, 'id is not the hash'],
    ['another name', { ...one, name: 'b' }, 'name is b'],
    ['a statement with its proof', { ...one, statement: 'theorem a : 1 = 1 := by' }, 'statement is not'],
    ['no theorem', { ...one, statement: 'def a : Nat' }, 'statement is not'],
    ['an unknown key', { ...one, proof: 'rfl' }, 'proof'],
    ['a split of its own', { ...one, split: 'test' }, 'split'],
  ])('%s is an error', async (_, row, text) => {
    const error = await errorOf(read(one, row));
    expect(error.code).toBe('STP1501');
    expect(error.message).toContain(':2: ');
    expect(error.message).toContain(text);
  });
});
