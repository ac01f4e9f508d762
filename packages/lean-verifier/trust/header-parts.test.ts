/** Where the header of a file ends, and what it imports, as Lean's parser reads it. */
import { readHeader } from '@stp/lean-text';
import { expect, test } from 'vitest';
import { DEFINITION_OPTIONS, importedNames, splitImports } from './header.ts';
import { heartbeatsOf } from './stated-form.ts';

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
  ['prelude', 'prelude\nimport A import B\nopen C', ['prelude', 'import A', 'import B'], 'open C'],
  ['line breaks of Windows', 'prelude\r\nimport A\r\n\r\nopen B', ['prelude', 'import A'], 'open B'],
  ['a doc comment, which is no white space', 'import A /-! B -/ import C', ['import A'], '/-! B -/ import C'],
  ['a tab, which is none either', 'import A\n\timport B', ['import A'], '\timport B'.trim()],
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

test('a half import is told, and nothing of it is taken', () => {
  expect(readHeader('prelude import A import')).toMatchObject({ isPrelude: true, end: 16, broken: { start: 23 } });
  expect(readHeader('import A open B').broken).toBeNull();
});

test('Lean’s own modules are imported where no prelude says otherwise', () => {
  const names = (text: string) => [...importedNames(readHeader(text))];
  expect(names('import «A».B import A.B')).toEqual(['Init', 'A.B']);
  expect(names('')).toEqual(['Init']);
  expect(names('prelude import A')).toEqual(['A']);
});

test.each<[string, number]>([
  ['open Nat', 1_000],
  ['set_option maxHeartbeats 100', 100],
  ['set_option maxHeartbeats 0x64', 100],
  ['set_option maxHeartbeats 1_00', 100],
  ['set_option maxHeartbeats 0', 1_000],
  ['set_option maxHeartbeats 2000', 1_000],
  ['set_option maxHeartbeats 100\nset_option maxHeartbeats 500 in\nopen Nat', 100],
  [`set_option maxHeartbeats 100\n${DEFINITION_OPTIONS.join('\n')}\ndef x := 1`, 100],
  ['set_option synthInstance.maxHeartbeats 100', 1_000],
])('the bound of heartbeats of a header: %j', (header, bound) => {
  expect(heartbeatsOf(header, 1_000)).toBe(bound);
  expect(heartbeatsOf(`${header}\n${DEFINITION_OPTIONS.join('\n')}\ndef f := 1`, 300_000)).toBe(
    bound === 1_000 ? (header.endsWith('2000') ? 2_000 : 300_000) : bound,
  );
});
