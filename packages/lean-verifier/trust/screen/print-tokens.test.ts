/**
 * Accepted texts are printed from their tokens: only the tokens, at their places, for any text. No Lean; some
 * seconds.
 */

import { positionAt, tokenize } from '@stp/lean-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printLiteral } from './literals.ts';
import { findUnprinted, PROOF_OPTIONS } from './printed-text.ts';
import { PROOF_COLUMN, screenProof } from './screen-proof.ts';
import { screenStatement } from './screen-statement.ts';

/** The alphabet of Lean's lexer, and what is harmless often enough for texts that are accepted. */
const RISKY =
  '" "a" \'a\' \' \'\' \\ -- - / /- /-- /-! -/ /-/ -/- ! ? . .. s! m! r r" r# r#" # « » ` `` { } [ ] ( ) ⟨ ⟩ @ @[ #[ %[ @& $ % · λ Π é ᵢ ₁ 𝔸 ∑ ¹ ℕ 0 0x 1 1.5 1e _'.split(
    ' ',
  );
const HARMLESS = 'simp exact h x.1 foo! := => + , ; <;> | : 12 theorem set_option maxRecDepth in sorry'.split(' ');
const SPACES = [' ', ' ', '  ', '\n', '\n  ', ' -- c\n', ' /- 𝔸 -/ '];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SPACES) },
  { weight: 3, arbitrary: fc.constantFrom(...HARMLESS) },
  { weight: 2, arbitrary: fc.constantFrom(...RISKY) },
);
/** Long ones are refused nearly always. */
const texts = fc.array(piece, { maxLength: 14 }).map((list) => list.join(''));

/** Code tokens with their lines and columns, as they are to be printed: literals with escapes, which move what follows them. */
function located(text: string) {
  let line = 0;
  let added = 0;
  return tokenize(text)
    .filter(({ kind }) => kind !== 'comment')
    .map((token) => {
      const at = positionAt(text, token.start);
      if (at.line !== line) added = 0;
      line = positionAt(text, token.end).line;
      const word = /^(?:string|character)$/.test(token.kind) ? (printLiteral(token) ?? token.text) : token.text;
      const column = at.column + added;
      added = line === at.line ? added + [...word].length - [...token.text].length : 0;
      return { kind: token.kind, word, line: at.line, column };
    });
}

describe('random texts that are accepted', () => {
  test('are, as proofs, their tokens, all moved by as many columns', () => {
    let accepted = 0;
    fc.assert(
      fc.property(texts, (proof) => {
        const screened = screenProof(proof);
        if (!screened.accepted) return;
        accepted += 1;
        const { text, linesDropped, columnsAdded } = screened;
        const [before, after] = [located(proof), located(text)];
        // The first token comes to column 2, unless another line stands left of it and would pass column 0.
        const least = Math.min(...before.map(({ column }) => column));
        expect(columnsAdded).toBe(Math.max(PROOF_COLUMN - before[0]!.column, 0 - least));
        const moved = before.map(({ line, column, ...token }) => ({
          ...token,
          line: line - linesDropped,
          column: column + columnsAdded,
        }));
        expect(after).toEqual(moved);
        expect(tokenize(text).length).toBe(after.length);
      }),
      { numRuns: 8_000, seed: 11 },
    );
    expect(accepted).toBeGreaterThan(400);
  });

  test('are printed the same once more', () => {
    fc.assert(
      fc.property(texts, (proof) => {
        const screened = screenProof(proof);
        if (!screened.accepted) return;
        const { text } = screened;
        expect(screenProof(text)).toEqual({ accepted: true, text, linesDropped: 0, columnsAdded: 0 });
        expect(findUnprinted(text, PROOF_OPTIONS)).toBeNull();
      }),
      { numRuns: 8_000, seed: 12 },
    );
  });

  test('are, as statements, a signature that stays the same under any name', () => {
    let accepted = 0;
    fc.assert(
      fc.property(texts, texts, (binders, type) => {
        const screened = screenStatement(`theorem a ${binders} : ${type}`);
        if (!screened.accepted) return;
        accepted += 1;
        const { signature } = screened;
        expect(screenStatement(`theorem other${signature}`)).toEqual({
          accepted: true,
          name: 'other',
          namespace: '',
          signature,
        });
        expect(signature).not.toMatch(/--|\/-|-\/|set_option|[«»`]| $/mu);
      }),
      { numRuns: 8_000, seed: 13 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

describe('the second check, which uses no tokens', () => {
  test.each(['  rfl', "  exact f \"a b\" 'c' x' xs[0]'h", '  set_option maxRecDepth 100 in rfl'])(
    'lets %j pass',
    (text) => {
      expect(findUnprinted(text, PROOF_OPTIONS)).toBeNull();
    },
  );

  test.each([
    ['  rfl -- a', 6],
    ['  rfl /- a', 6],
    ['  rfl -/', 6],
    ['  rfl ', 5],
    ['  f"a"', 3],
    ['  f "a{"', 4],
    ["  f '-'", 4],
    ['  «a»', 2],
    ['  `a', 2],
    ['  @[simp]', 2],
    ['  #eval', 2],
    ['  a\tb', 3],
    ['  set_option pp.all true in rfl', 2],
    ['  exact debug.skipKernelTC', 14],
  ])('stops %j', (text, offset) => {
    expect(findUnprinted(text, PROOF_OPTIONS)).toMatchObject({ offset });
  });
});
