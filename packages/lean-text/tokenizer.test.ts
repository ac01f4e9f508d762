/** The tokenizer on chosen texts and on random ones. No Lean; about two seconds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameParts, positionAt, tokenize } from './tokenizer.ts';

const kinds = (text: string): string[] => tokenize(text).map(({ kind, text: part }) => `${kind} ${part}`);

describe('chosen texts', () => {
  test.each<[string, string[]]>([
    ['exact Nat.add_comm a b', ['word exact', 'word Nat.add_comm', 'word a', 'word b']],
    ["x' h₁ αβ ℕ _root_.foo!", ["word x'", 'word h₁', 'word αβ', 'word ℕ', 'word _root_.foo!']],
    ['«a b».c.«d»', ['word «a b».c.«d»']],
    ['λx => Πy', ['symbol λ', 'word x', 'symbol =', 'symbol >', 'symbol Π', 'word y']],
    ['a -- b\nc', ['word a', 'comment -- b', 'word c']],
    ['a /- b /- c -/ d -/ e', ['word a', 'comment /- b /- c -/ d -/', 'word e']],
    ['/-- doc -/ x', ['comment /-- doc -/', 'word x']],
    ['/--/ a -/ x', ['comment /--/ a -/', 'word x']],
    ['/-!/ a -/ x', ['comment /-!/ a -/', 'word x']],
    ['/---/ x', ['comment /---/', 'word x']],
    ['/-/- a -/ x', ['comment /-/- a -/', 'word x']],
    ['/- -/- -/', ['comment /- -/', 'symbol -', 'symbol -', 'symbol /']],
    ['/--/', ['unterminated /--/']],
    ['a /- b /- c -/', ['word a', 'unterminated /- b /- c -/']],
    ['"a \\" b" c', ['string "a \\" b"', 'word c']],
    ['"a \\\n  b"', ['string "a \\\n  b"']],
    ['r"a\\" b', ['string r"a\\"', 'word b']],
    ['r#"a"b"# c', ['string r#"a"b"#', 'word c']],
    ['r# x', ['word r', 'symbol #', 'word x']],
    ['s!"a{f "}" + 1}b" c', ['word s!', 'string "a{f "}" + 1}b"', 'word c']],
    ['s!"a{s!"{x}"}b" c', ['word s!', 'string "a{s!"{x}"}b"', 'word c']],
    ["'a' '\\n' '\"' b'", ["character 'a'", "character '\\n'", "character '\"'", "word b'"]],
    ['xs[i]\'"a"', ['word xs', 'symbol [', 'word i', 'symbol ]', "symbol '", 'string "a"']],
    ["f '' s", ['word f', "symbol '", "symbol '", 'word s']],
    [
      '1.5e3 0xfF 0b1 h.1.symm',
      ['number 1.5e3', 'number 0xfF', 'number 0b1', 'word h', 'symbol .', 'number 1', 'symbol .', 'word symm'],
    ],
    ['0b1axiom', ['number 0b1', 'word axiom']],
    ['0x1axiom', ['number 0x1a', 'word xiom']],
    ['"abc', ['unterminated "abc']],
    ['«abc', ['unterminated «abc']],
  ])('%j', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  test('positions count lines from 1 and columns from 0, in characters', () => {
    expect(positionAt('a\n𝔸b c', 'a\n𝔸b '.length)).toEqual({ line: 2, column: 3 });
  });

  test('a name is what it is however it is quoted', () => {
    expect(nameParts('«sorryAx»')).toEqual(['sorryAx']);
    expect(nameParts('Nat.«a.b».c')).toEqual(['Nat', 'a.b', 'c']);
  });
});

/** Texts made of special pieces, so that random texts contain comments in strings in comments. */
const pieces = [
  '"',
  "'",
  '/-',
  '-/',
  '--',
  '\\',
  '{',
  '}',
  's!"',
  'r#"',
  '"#',
  '«',
  '»',
  '\n',
  ' ',
  'x',
  'sorry',
  '0b1',
  '.',
  '(',
  ')',
  '𝔸',
  '#',
  '[',
  ']',
];
const leanish = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((list) => list.join('')),
);

describe('random texts', () => {
  test('tokens and the white space between them are the text, for any text', () => {
    fc.assert(
      fc.property(leanish, (text) => {
        let end = 0;
        for (const token of tokenize(text)) {
          expect(text.slice(end, token.start)).toMatch(/^[ \t\r\n]*$/);
          expect(token.end).toBeGreaterThan(token.start);
          expect(token.text).toBe(text.slice(token.start, token.end));
          end = token.end;
        }
        expect(text.slice(end)).toMatch(/^[ \t\r\n]*$/);
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  test('what does not end reaches to the end of the text and is the last token', () => {
    fc.assert(
      fc.property(leanish, (text) => {
        const tokens = tokenize(text);
        const open = tokens.findIndex(({ kind }) => kind === 'unterminated');
        expect(open === -1 || (open === tokens.length - 1 && tokens[open]!.end === text.length)).toBe(true);
      }),
      { numRuns: 2_000, seed: 2 },
    );
  });

  test('a word on a line of its own is found after any text that ends', () => {
    fc.assert(
      fc.property(leanish, (text) => {
        const before = tokenize(text);
        fc.pre(before.every(({ kind }) => kind !== 'unterminated'));
        const after = tokenize(`${text}\nsorry`);
        expect(after.at(-1)).toMatchObject({ kind: 'word', text: 'sorry' });
      }),
      { numRuns: 3_000, seed: 3 },
    );
  });
});
