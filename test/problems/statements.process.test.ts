/** The committed problem sets: made by the build, well-formed for Lean under their headers, split by rule, no doubles.
 *  ~10 s, and the compilation of the library (~30 s) where it is not in the cache. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Statement } from '@stp/config/records';
import {
  buildProblemSet,
  HELD_OUT_SHARE,
  PROBLEM_SET_NAMES,
  PROBLEMS_DIRECTORY,
  splitOfSource,
  statementsText,
} from '@stp/datasets/testing';
import { problemEnvironment, runSnippets } from '@stp/lean-explore/testing';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { problemSet } from './problem-set.ts';
import { statementParts, withoutNames } from './statement-parts.ts';

const LIBRARY = { directory: fileURLToPath(new URL('../../data/library', import.meta.url)), modulePrefix: 'Stp' };

const sets = new Map<string, Statement[]>();
beforeAll(async () => {
  for (const name of PROBLEM_SET_NAMES) sets.set(name, await problemSet(join(PROBLEMS_DIRECTORY, name)));
});

describe.each(PROBLEM_SET_NAMES)('%s', (name) => {
  it('is what the build makes of its source', async () => {
    const built = statementsText(await buildProblemSet(name));
    expect(await readFile(join(PROBLEMS_DIRECTORY, name, 'statements.jsonl'), 'utf8')).toBe(built);
  });

  it('has one header, and definitions where it is more than the library', () => {
    const statements = sets.get(name)!;
    expect(new Set(statements.map(({ header }) => header)).size).toBe(1);
    expect(existsSync(join(PROBLEMS_DIRECTORY, name, 'Definitions.lean'))).toBe(statements[0]!.header !== null);
  });

  it('holds back the share it says, by name', () => {
    const statements = sets.get(name)!;
    const heldOut = statements.filter(({ split }) => split === 'held-out');
    if (name === 'minif2f-core') {
      for (const { split, labels } of statements) expect(split === 'held-out').toBe(labels.includes('miniF2F test'));
      return;
    }
    for (const { split, labels } of statements) expect(split).toBe(splitOfSource(labels[0]!));
    expect(Math.abs(heldOut.length / statements.length - HELD_OUT_SHARE)).toBeLessThan(0.1);
  });
});

it('every IsaPlanner problem has its statement', () => {
  const labels = sets.get('isaplanner')!.map((statement) => statement.labels[0]);
  expect(labels).toEqual(
    Array.from({ length: 86 }, (_, index) => `isaplanner/prop_${String(index + 1).padStart(2, '0')}`),
  );
});

it('no statement is in the sets twice, also under other names', () => {
  const seen = new Map<string, string>();
  const doubles: string[] = [];
  for (const [set, statements] of sets) {
    for (const { name, header, statement } of statements) {
      const key = `${header} ${withoutNames(statement)}`;
      const other = seen.get(key);
      if (other !== undefined) doubles.push(`${set}/${name} is ${other}`);
      seen.set(key, `${set}/${name}`);
    }
  }
  expect(seen.size).toBeGreaterThan(300);
  expect(doubles).toEqual([]);
});

it('knows two statements that differ in names only', () => {
  const one = 'theorem a (x y : Nat) (h : x = y) : ∃ z, z = x ∧ ∀ w, w ≤ x → w ≤ y';
  const two = 'theorem b (m n : Nat) (e : m = n) : ∃ k, k = m ∧ ∀ i, i ≤ m → i ≤ n';
  const three = 'theorem b (m n : Nat) (e : m = n) : ∃ k, k = n ∧ ∀ i, i ≤ m → i ≤ n';
  expect(withoutNames(one)).toBe(withoutNames(two));
  expect(withoutNames(one)).not.toBe(withoutNames(three));
  expect(statementParts(one).name).toBe('a');
});

it('every statement elaborates under its header', async () => {
  const environment = await problemEnvironment([LIBRARY]);
  const wrong: string[] = [];
  let checked = 0;
  for (const statements of sets.values()) {
    const snippets = statements.map(({ name, statement }) => ({ name, text: `${statement} := by\n  sorry` }));
    const results = await runSnippets(environment, statements[0]!.header ?? LIBRARY_HEADER, snippets);
    for (const { name, messages } of results) {
      checked += 1;
      const other = messages.filter(({ severity, text }) => severity === 'error' || !/uses [`'‘]sorry/.test(text));
      if (other.length > 0 || messages.length !== 1)
        wrong.push(`${name}: ${messages.map(({ text }) => text).join('; ')}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(400);
}, 600_000);

it('a statement that does not elaborate is seen', async () => {
  const environment = await problemEnvironment();
  const [result] = await runSnippets(environment, '', [
    { name: 'bad', text: 'theorem bad (n : ℕ) : n = n := by\n  sorry' },
  ]);
  expect(result!.messages.some(({ severity }) => severity === 'error')).toBe(true);
}, 600_000);
