/** How names and messages from others are printed on a terminal. */
import { expect, it } from 'vitest';
import { printableJson, printableLine, printableText } from './printable.ts';

it.each([
  ['a colour', 'a\u001b[31mb', 'a\\u{1B}[31mb'],
  ['a bell and DEL', '\u0007\u007f', '\\u{07}\\u{7F}'],
  ['a control sequence of one character (C1)', '\u009b31m', '\\u{9B}31m'],
  ['another direction of writing', 'a\u202eb\u2066c', 'a\\u{202E}b\\u{2066}c'],
  ['characters without width', 'a\u200bb\ufeffc\u{e0041}d\u3164e', 'a\\u{200B}b\\u{FEFF}c\\u{E0041}d\\u{3164}e'],
  ['a separator of lines', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['a carriage return', 'accepted\rrejected', 'accepted\\u{0D}rejected'],
  ['half a pair', 'a\ud800b', 'a\\u{D800}b'],
])('%s is written as a number', (_, text, shown) => {
  expect(printableLine(text)).toBe(shown);
  expect(printableText(text)).toBe(shown);
});

it('keeps what Lean writes', () => {
  const text = 'theorem «odd name» (h✝ : ∀ α : Type, p ∧ ¬q) : x₁ ∈ 𝔸 := ⟨‹_›, λ ↦ 1⟩ é é 汉字 \\n \'"';
  expect(printableLine(text)).toBe(text);
  expect(printableText(text)).toBe(text);
});

it('keeps lines of messages and none of names', () => {
  expect(printableText('a\n\tb')).toBe('a\n\tb');
  expect(printableLine('a\n\tb')).toBe('a\\u{0A}\\u{09}b');
});

it('writes JSON that says the same', () => {
  const value = { name: 'a\u001b\u009b\u202e\u{e0041}é\u2028', list: ['\u007f', 1] };
  expect(printableJson(value)).toMatch(/^[\x20-\x7eé]*$/);
  expect(JSON.parse(printableJson(value))).toEqual(value);
});
