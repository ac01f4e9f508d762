import { expect, it } from 'vitest';
import { namesUnknown } from './unknown-names.ts';

it.each([
  ['error', 'Unknown identifier `rev_cons`', true],
  ['error', 'Unknown constant `Nat.foo`', true],
  ['error', 'unsolved goals\nx : Nat', false],
  ['warning', 'Unknown identifier `x`', false],
] as const)('%s: %s', (severity, text, expected) => {
  expect(namesUnknown({ messages: [{ severity, line: 1, column: 0, text }] })).toBe(expected);
});
