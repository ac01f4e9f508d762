/** Tests that no library theorem states a problem of the problem sets. Text only, under a second. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { statementKeys } from '../testing/statement-key.ts';
import { extractLibrary } from './extract.ts';

const DATA = fileURLToPath(new URL('../../../data/', import.meta.url));
const { theorems } = await extractLibrary(`${DATA}library`);

/** The benchmarks' functions by the names the library gives the same functions. */
const LIBRARY_NAMES = {
  append: 'app',
  length: 'len',
  reverse: 'rev',
  map: 'mapl',
  filter: 'keep',
  take: 'takeN',
  drop: 'dropN',
  takeWhile: 'keepWhile',
  zip: 'pairUp',
  elem: 'member',
  count: 'occurs',
  concat: 'flat',
  all: 'allb',
  ins: 'place',
  insort: 'place',
  insertSorted: 'place',
  sort: 'arrange',
  isort: 'arrange',
  sorted: 'ordered',
  natMax: 'maximum',
  natMin: 'minimum',
  leq: 'leb',
  lt: 'ltb',
  equal: 'eqb',
  even: 'evenb',
  pow: 'power',
  flatten0: 'flatten',
  flatten2: 'flattenOnto',
};
/** The library writes the core operators, or has a recursive function beside them. */
const READINGS = [
  { vocabulary: LIBRARY_NAMES, infix: { plus: '+', times: '*', minus: '-' } },
  { vocabulary: { ...LIBRARY_NAMES, minus: 'monus' }, infix: { plus: '+', times: '*' } },
  { vocabulary: { ...LIBRARY_NAMES, minus: 'monus', plus: 'addN', times: 'mulN' }, infix: {} },
];

const libraryKeys = new Map(
  theorems.flatMap(({ name, statement }) => statementKeys(statement).map((key) => [key, name])),
);

function problems(set: string): { name: string; statement: string }[] {
  const text = readFileSync(`${DATA}problems/${set}/statements.jsonl`, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.each(['isaplanner', 'nng', 'minif2f-core', 'tip2015'])('%s', (set) => {
  test('no problem is a library theorem', () => {
    const found = problems(set).flatMap(({ name, statement }) =>
      READINGS.flatMap(({ vocabulary, infix }) => statementKeys(statement, vocabulary, infix))
        .filter((key) => libraryKeys.has(key))
        .map((key) => `${name} is ${libraryKeys.get(key)}`),
    );
    expect([...new Set(found)]).toEqual([]);
  });
});

test('the comparison sees through names, hypotheses, brackets and the order of an equation', () => {
  const own = (statement: string) => new Set(statementKeys(statement));
  const meets = (problem: string, library: string) =>
    READINGS.some(({ vocabulary, infix }) =>
      statementKeys(problem, vocabulary, infix).some((key) => own(library).has(key)),
    );
  expect(meets('theorem p (n m : Nat) : minus (plus m n) n = m', 'theorem q (a b : Nat) : a + b - b = a')).toBe(true);
  expect(meets('theorem p (n : Nat) : n + 0 = n', 'theorem q (k : Nat) : k = k + 0')).toBe(true);
  expect(
    meets(
      'theorem p (m n : Nat) : leq m n = true → leq m (n + 1) = true',
      'theorem q (a b : Nat) (h : leb a b = true) : leb a (b + 1) = true',
    ),
  ).toBe(true);
  expect(meets('theorem p (n : Nat) : n + 0 = n', 'theorem q (k : Nat) : k * 1 = k')).toBe(false);
});
