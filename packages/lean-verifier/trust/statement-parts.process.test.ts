/** Statements and headers that Lean reads otherwise than line by line, or not at all. Real Lean; three seconds of a core. */
import { expect, test } from 'vitest';
import { candidate, kindsOf, open } from '../testing/opened-verifier.ts';

test('imports may stand on one line, over several, and between comments', async () => {
  const verifier = await open();
  const headers = [
    'import Init import Init.Data.Nat',
    'import Init -- first\n/- and -/ import Init.Data.Nat /- x -/ open Nat',
    'import\n  Init\nimport Init.Data.Nat import Init.Data.Nat',
  ];
  const rows = headers.map((header) => ({ ...candidate(header, '  omega'), header }));
  expect(kindsOf(await verifier.check(rows))).toEqual(Object.fromEntries(headers.map((header) => [header, 'proved'])));
});

test.each([
  'open Nat\nimport Init',
  'public import Init',
  'meta import Init',
  'import all Init',
  'module\nimport Init',
  'prelude',
])('a header that no proof can stand under is named as such: %j', async (header) => {
  const verifier = await open();
  expect(kindsOf(await verifier.check([{ ...candidate('a', '  omega'), header }]))).toEqual({ a: 'header_error' });
});

test('a statement that does not parse is no fault of the proof', async () => {
  const verifier = await open();
  const types = [
    '1 +',
    '∀ x',
    '1 = = 1',
    'fun',
    '',
    '1 = 1 ∧',
    'if 1 = 1 then True',
    '1 = 1 , 2',
    'match 1 with',
    '1 = 1 →',
    'let x := 1',
    'nonsense = 1',
  ];
  const rows = types.map((type) => candidate(type, '  trivial', `theorem t : ${type}`));
  const binders = candidate('binder', '  rfl', 'theorem t (x : ) : 1 = 1');
  const good = candidate('good', '  rfl', 'theorem t : 1 = 1');
  const wrong = candidate('wrong', '  exact', 'theorem t : 1 = 1');
  for (const isExplained of [true, false]) {
    const results = await verifier.check([...rows, binders, good, wrong], { explains: () => isExplained });
    const kinds = kindsOf(results);
    expect(kinds).toEqual({
      ...Object.fromEntries([...types, 'binder'].map((type) => [type, 'header_error'])),
      good: 'proved',
      wrong: 'rejected',
    });
  }
});
