/** Notation of a file that a statement's text has. The assembled Lean runs no new notation, so this is read from text alone. */
import { tokenize } from '@stp/lean-text';
import { expect, test } from 'vitest';
import { meaningOf } from './meaning.ts';
import { writtenNotation } from './written-notation.ts';

const PLAIN = { own: [], hiding: [], head: 'Eq', binders: [] };

test.each([
  ['local infix:50 " ≤ " => P', 'theorem t : 2 ≤ 1', ['≤']],
  ['local infix:50 (priority := high) " ≤ " => P', 'theorem t : 2 ≤ 1', ['≤']],
  ['local infix:50 " <= " => P', 'theorem t : 2 <= 1', ['<=']],
  ['local notation (name := both) a " is " b " too" => P a b', 'theorem t : 2 is 1 too', ['is', 'too']],
  ['local infix:50 " <= " => P', 'theorem t : 2 < 1 ∨ 2 = 1', []],
])('%s is seen in %s', (file, theorem, seen) => {
  const meaning = meaningOf(PLAIN, tokenize(theorem), writtenNotation(tokenize(file)));
  expect(meaning?.notation ?? []).toEqual(seen);
});
