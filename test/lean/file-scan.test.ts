/** Where the theorems of a file stand: by their tokens, against the places as they are counted one by one, and without end. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { positionAt } from '../../lean/screen/tokenizer.ts';
import { scanFile } from '../../lean/verdict/file-scan.ts';

const PIECES = [
  'theorem a : True := trivial\n',
  'private theorem «b c» : 1 = 1 := rfl\n',
  '  theorem inner : True := by\n    skip -- theorem no : False\n',
  'example : "𝔸\ntheorem x" = "" := sorry\n',
  'namespace N\n',
  'end N\n',
  '@[simp] theorem d : True :=\n  trivial\n\n',
  '/- theorem e -/ lemma 𝔸 : True := trivial',
  '\n',
  'def f := 1\n',
];

test('places are those of each keyword, and of the last line before the next command', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES)), (pieces) => {
      const text = pieces.join('');
      const { theorems, tokens } = scanFile(text);
      const keywords = tokens.filter(({ text: word, kind }) => kind === 'word' && /^(?:theorem|lemma)$/.test(word));
      expect(theorems.map(({ line, column }) => ({ line, column }))).toEqual(
        keywords.map(({ start }) => positionAt(text, start)),
      );
      const lines = text.split('\n');
      for (const { line, lastLine } of theorems) {
        expect(lastLine).toBeGreaterThanOrEqual(line);
        const next = lines
          .slice(line)
          .findIndex((one) => /^(?:[@#]|(?:theorem|private|namespace|end|def|example|lemma)\b)/.test(one));
        // A line of a string may look like a command: the end is no earlier than there.
        expect(lastLine).toBeGreaterThanOrEqual(next < 0 ? lines.length : line + next);
      }
    }),
    { seed: 14 },
  );
});

/** A pass for each theorem would take far longer than a test may: it would be ended for its time. */
test('a file of as many theorems as fit is scanned in one pass', () => {
  const count = 40_000;
  const { theorems } = scanFile('theorem t (a b : Nat) : a + b = b + a := by\n  omega\n'.repeat(count));
  expect(theorems.length).toBe(count);
  expect(theorems.at(-1)).toMatchObject({ line: 2 * count - 1, column: 0, lastLine: 2 * count + 1 });
}, 120_000);
