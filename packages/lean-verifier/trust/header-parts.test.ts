/** Where the header of a file ends, and what it imports, as Lean's parser reads it. */
import { expect, test } from 'vitest';
import { importedNames, readHeader, splitImports } from './header.ts';

test.each<[string, string, string[], string]>([
  ['two imports on a line', 'import Init import Init.Data.Nat', ['import Init', 'import Init.Data.Nat'], ''],
  ['an open behind them', 'import Init open Nat', ['import Init'], 'open Nat'],
  [
    'comments',
    '/- a -/ import A -- b\n/- c -/ import B /- d -/\nopen C',
    ['import A', 'import B'],
    '/- a -/  -- b\n/- c -/  /- d -/\nopen C',
  ],
  ['line breaks', 'import\n  A\n\nimport B', ['import A', 'import B'], ''],
  ['modifiers', 'public meta import A\nimport all B', ['public meta import A', 'import all B'], ''],
  ['quoted names', 'import «A B».C', ['import «A B».C'], ''],
  ['no import', 'open Nat', [], 'open Nat'],
  ['an import below something', 'open Nat\nimport A', [], 'open Nat\nimport A'],
  ['an import in a comment', '-- import A\nimport B', ['import B'], '-- import A'],
  ['a word that only begins so', 'importA B', [], 'importA B'],
  ['nothing behind', 'import', [], 'import'],
])('%s', (_, text, imports, rest) => {
  expect(splitImports(text)).toEqual({ imports, rest });
});

test('what the file itself is stands before its imports', () => {
  expect(readHeader('module\nprelude\npublic import A\ndef x := 1')).toMatchObject({
    ...{ isModule: true, isPrelude: true, imports: [{ name: 'A' }], end: 30 },
  });
  expect(readHeader('module.x')).toMatchObject({ isModule: false, end: 0 });
});

test('Lean’s own modules are imported where no prelude says otherwise', () => {
  const names = (text: string) => [...importedNames(readHeader(text))];
  expect(names('import «A».B import A.B')).toEqual(['Init', 'A.B']);
  expect(names('')).toEqual(['Init']);
  expect(names('prelude import A')).toEqual(['A']);
});
