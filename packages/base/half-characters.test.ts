import { expect, test } from 'vitest';
import { halfCharacterAt } from './half-characters.ts';

test.each<[string, unknown, readonly (string | number)[] | null]>([
  ['a whole character of two units', '𝔸', null],
  ['the character that stands for a lost one', { a: ['\ufffd'] }, null],
  ['the first half', '\ud835', []],
  ['the second half', ['x', { code: 'a\udd38b' }], [1, 'code']],
  ['halves in the wrong order', { a: '\udd38\ud835' }, ['a']],
  ['a key', { a: { '\ud800': 1 } }, ['a', '\ufffd']],
  ['the first of several', { a: 1, b: '\ud800', c: '\ud800' }, ['b']],
  ['no text', [null, 1, true, undefined], null],
])('finds half a character in %s', (_, value, path) => {
  expect(halfCharacterAt(value)).toEqual(path);
});

test('a value that nests deeper than the stack is read', () => {
  let deep: unknown = '\ud800';
  for (let depth = 0; depth < 200_000; depth++) deep = [deep];
  expect(halfCharacterAt(deep)).toHaveLength(200_000);
});
