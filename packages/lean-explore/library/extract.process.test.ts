/** The library as records: complete, usable outside its files, with premises and conjecturer tuples. Lean: about 8 s. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { libraryTheoremSchema } from '@stp/config/records';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '../testing/library.ts';
import { errorsOf, runSnippets } from '../testing/problems.ts';
import { conjecturerTuples, extractLibrary } from './extract.ts';

const { theorems, skipped } = await extractLibrary(LIBRARY_DIRECTORY);
const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
/** More than a busy machine needs for the whole library in one process. */
const WHOLE_LIBRARY_TIMEOUT_MS = 600_000;

beforeAll(async () => {
  await libraryEnvironment();
}, WHOLE_LIBRARY_TIMEOUT_MS);

describe('the library', () => {
  test('has the theorems it promises, all with tactic proofs, every name once', () => {
    expect(theorems.length).toBeGreaterThanOrEqual(1000);
    expect(skipped).toEqual([]);
    expect(byName.size).toBe(theorems.length);
    for (const theorem of theorems) libraryTheoremSchema.parse(theorem);
  });

  test('every record elaborates outside its file, under the header it names, without a warning', {
    tags: ['slow'],
  }, async () => {
    expect(new Set(theorems.map(({ header }) => header))).toEqual(new Set([LIBRARY_HEADER]));
    const snippets = theorems.map(({ name, statement, proof }) => ({ name, text: `${statement} := by\n${proof}` }));
    const results = await runSnippets(await libraryEnvironment(), LIBRARY_HEADER, snippets);
    expect(results).toHaveLength(theorems.length);
    expect(results.filter(({ messages }) => messages.length > 0)).toEqual([]);
  });

  test('a proof that is not the theorem’s own is seen to fail by the same check', async () => {
    const { statement } = byName.get('Stp.rev_rev')!;
    const wrong = { name: 'wrong', text: `${statement} := by\n${byName.get('Stp.app_nil')!.proof}` };
    const environment = await libraryEnvironment();
    expect(errorsOf(await runSnippets(environment, LIBRARY_HEADER, [wrong]))).not.toEqual([]);
  });

  test('no name of the library is a name of core Lean, so that opening it hides and doubles nothing', async () => {
    const files = (await readdir(LIBRARY_DIRECTORY)).filter((file) => file.endsWith('.lean'));
    const texts = await Promise.all(files.map((file) => readFile(path.join(LIBRARY_DIRECTORY, file), 'utf8')));
    const names = texts.flatMap((text) =>
      [...text.matchAll(/^(?:def|inductive|theorem) (\S+)/gm)].map(([, name]) => name!),
    );
    expect(names.length).toBeGreaterThan(theorems.length);
    const snippets = [...names, 'Nat.add_comm'].map((name) => ({ name, text: `#check @${name}` }));
    const results = await runSnippets(await libraryEnvironment(), '', snippets);
    const known = results.filter(({ messages }) => messages.every(({ severity }) => severity !== 'error'));
    expect(known.map(({ name }) => name)).toEqual(['Nat.add_comm']);
  });

  test('no premise comes later than its use: the library has no circles', () => {
    const seen = new Set<string>();
    for (const { name, premises } of theorems) {
      for (const premise of premises) expect([name, premise, seen.has(premise)]).toEqual([name, premise, true]);
      seen.add(name);
    }
  });
});

describe('premises', () => {
  test('of a proof by rewriting are the theorems it names', () => {
    expect(byName.get('Stp.rev_app')!.premises).toEqual([
      'Stp.app_assoc',
      'Stp.app_cons',
      'Stp.app_nil',
      'Stp.app_nil_left',
      'Stp.rev_cons',
      'Stp.rev_nil',
    ]);
  });

  test('of a proof by evaluation are none, and core theorems do not count', () => {
    expect(byName.get('Stp.app_cons')!.premises).toEqual([]);
    expect(byName.get('Stp.mul_swap_inner')!.premises).toEqual([]);
  });
});

describe('conjecturer tuples', () => {
  const tuples = [...conjecturerTuples(theorems)];
  const order = new Map(theorems.map(({ name }, index) => [name, index]));

  test('join two theorems of one file, the earlier first, by a premise of both', () => {
    expect(tuples.length).toBeGreaterThanOrEqual(300);
    for (const { easy, lemma, hard } of tuples) {
      expect(easy.file).toBe(hard.file);
      expect(easy.premises).toContain(lemma.name);
      expect(hard.premises).toContain(lemma.name);
      expect(order.get(easy.name)!).toBeLessThan(order.get(hard.name)!);
    }
  });

  test('are all there are, each once', () => {
    let expected = 0;
    for (const easy of theorems) {
      for (const hard of theorems.slice(order.get(easy.name)! + 1)) {
        if (easy.file === hard.file) expected += easy.premises.filter((name) => hard.premises.includes(name)).length;
      }
    }
    expect(tuples).toHaveLength(expected);
    expect(new Set(tuples.map(({ easy, lemma, hard }) => `${easy.name} ${lemma.name} ${hard.name}`)).size).toBe(
      expected,
    );
  });
});

describe('a folder of one’s own', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'stp-library-'));
    const first = [
      'namespace Stp.Deep',
      'theorem a : True := by',
      '  trivial',
      'theorem term : True := trivial',
      'variable (n : Nat)',
      'theorem withVariable : n = n := by',
      '  rfl',
      'end Stp.Deep',
      'theorem Stp.b : True ∧ True := by',
      '  exact ⟨Deep.a, _root_.Stp.Deep.a⟩',
      'open Stp.Deep in',
      '/-- Names `b`, which is no use of it. -/',
      'theorem Stp.c : True ∧ True := by',
      '  -- b',
      '  exact ⟨a, a.mono.x⟩',
      '',
    ];
    await writeFile(
      path.join(directory, 'Later.lean'),
      'import Stp.Zero\ntheorem later : True := by\n  exact Stp.Deep.a\n',
    );
    await writeFile(path.join(directory, 'Zero.lean'), first.join('\n'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('gives names, lines, headers, premises and what was skipped', async () => {
    const extract = await extractLibrary(directory);
    const rows = extract.theorems.map(({ name, file, line, premises }) => [name, file, line, premises]);
    expect(rows).toEqual([
      ['Stp.Deep.a', 'Zero.lean', 2, []],
      ['Stp.b', 'Zero.lean', 9, ['Stp.Deep.a']],
      ['Stp.c', 'Zero.lean', 13, ['Stp.Deep.a']],
      ['later', 'Later.lean', 2, ['Stp.Deep.a']],
    ]);
    expect(extract.skipped).toEqual([
      { file: 'Zero.lean', line: 4, reason: 'term proof' },
      { file: 'Zero.lean', line: 6, reason: 'variables in force' },
    ]);
    expect(extract.theorems[0]!.header).toBe(`${LIBRARY_HEADER}open Stp.Deep\n`);
    expect(extract.theorems[2]!.header).toBe(`${LIBRARY_HEADER}open Stp.Deep\n`);
  });

  test('that is not there is an error with its path', async () => {
    await expect(extractLibrary(path.join(directory, 'none'))).rejects.toMatchObject({
      code: 'STP1202',
      message: expect.stringContaining('none'),
    });
  });
});
