/** Reading Lean source without Lean: comments, literals, imports, commands, signature and proof. Text only. */

import { maskSource, readCommands } from '@stp/lean-text';
import { describe, expect, test } from 'vitest';
import { splitTheorem } from './theorem-text.ts';

const keywords = (source: string) => readCommands(maskSource(source)).map(({ keyword }) => keyword);
const split = (source: string) => {
  const { withoutComments, code } = maskSource(source);
  return splitTheorem(withoutComments.trimEnd(), code.trimEnd());
};

describe('masking', () => {
  test('keeps every position and every line break', () => {
    const source = 'theorem a : "--\\"/-" = "𝔹" := by -- x\n  rfl /- /- -/\n -/ end';
    const { withoutComments, code } = maskSource(source);
    expect(withoutComments).toHaveLength(source.length);
    expect(code).toHaveLength(source.length);
    expect(code.split('\n')).toHaveLength(3);
  });

  test('nested comments end where the outermost does', () => {
    expect(maskSource('a /- b /- c -/ d -/ e').code.replace(/ +/g, ' ')).toBe('a e');
  });

  test('a comment mark inside a string is text, a quote inside a comment is not', () => {
    const { withoutComments, code } = maskSource('x "a -- b" y -- "z\nw');
    expect(withoutComments).toBe('x "a -- b" y      \nw');
    expect(code).toContain('x "      " y');
    expect(code).toContain('\nw');
  });

  test('raw strings have no escapes, primes are not character literals', () => {
    expect(maskSource('r#"a " -- \\"# b').code).toBe('r#"        "# b');
    expect(maskSource("f' x' = '\"' -- c").code).toBe("f' x' = ' '     ");
  });

  test('an unclosed comment or string runs to the end', () => {
    expect(maskSource('a /- b').code.trim()).toBe('a');
    expect(maskSource('a "b').code.trim()).toBe('a "');
  });
});

describe('commands', () => {
  test('attributes and modifiers belong to the declaration, over line breaks', () => {
    const source = '@[simp, foo [a]]\nprivate theorem a : True := trivial\nprotected\n  def b := 1\n';
    expect(keywords(source)).toEqual(['theorem', 'def']);
  });

  test('open … in inside a proof is no command; at the margin it opens for the next one only', () => {
    const source =
      'theorem a : p := by\n  open Foo in\n  exact b\nopen A B\nopen C in\ntheorem c : p := by\n  rfl\ntheorem d : p := by\n  rfl\n';
    const commands = readCommands(maskSource(source));
    expect(commands.map(({ keyword, opens }) => [keyword, opens])).toEqual([
      ['theorem', []],
      ['open', []],
      ['open', ['A', 'B']],
      ['theorem', ['A', 'B', 'C']],
      ['theorem', ['A', 'B']],
    ]);
  });

  test('scopes: namespaces nest, sections end their variables', () => {
    const source =
      'namespace A.B\nsection\nvariable (n : Nat)\ntheorem x : p := by\n  rfl\nend\nnamespace C\ntheorem y : p := by\n  rfl\nend C\nend A.B\ntheorem z : p := by\n  rfl';
    const theorems = readCommands(maskSource(source)).filter(({ keyword }) => keyword === 'theorem');
    expect(theorems.map(({ namespace, hasVariables }) => [namespace.join('.'), hasVariables])).toEqual([
      ['A.B', true],
      ['A.B.C', false],
      ['', false],
    ]);
  });

  test('a command ends before the doc comment of the next', () => {
    const source = 'theorem a : p := by\n  rfl\n\n/-- about b -/\ntheorem b : p := by\n  rfl\n';
    const [first] = readCommands(maskSource(source));
    expect(source.slice(first!.start, first!.end)).toBe('theorem a : p := by\n  rfl');
  });
});

describe('theorems', () => {
  test('the signature ends at the := outside brackets', () => {
    expect(
      split('lemma foo.bar (n : Nat := 3) {f : Nat → Nat}\n    (h : f = fun x => x) :\n    f n = n := by\n  rw [h]'),
    ).toEqual({
      name: 'foo.bar',
      statement: 'theorem foo.bar (n : Nat := 3) {f : Nat → Nat}\n    (h : f = fun x => x) :\n    f n = n',
      proof: '  rw [h]',
    });
  });

  test('a let in the type keeps its :=', () => {
    expect(split('theorem a : let x := 1; have y := x; x = y := by\n  rfl')).toMatchObject({
      statement: 'theorem a : let x := 1; have y := x; x = y',
      proof: '  rfl',
    });
  });

  test('a := in a string is text', () => {
    expect(split('theorem a : "(:= by" = "(:= by" := by\n  rfl')).toMatchObject({
      statement: 'theorem a : "(:= by" = "(:= by"',
    });
  });

  test('proofs that are no tactic blocks are named, not cut', () => {
    expect(split('theorem a : True := trivial')).toBe('term proof');
    expect(split('theorem a : True := bytes')).toBe('term proof');
    expect(split('theorem a : Nat → True\n  | 0 => trivial\n  | n + 1 => trivial')).toBe('pattern-matching proof');
    expect(split('theorem : True := by trivial')).toBe('no name');
  });

  test.each([
    ['theorem a : p := by\n      simp\n      cases h with\n      | inl x => rfl\n\n      | inr x =>\n        rfl'],
    [
      'theorem a : p :=\n  by\n    simp -- first\n    cases h with\n    | inl x => rfl\n    /- second -/\n    | inr x =>\n      rfl',
    ],
  ])('the first tactic moves to column 2, the others with it: %j', (source) => {
    expect(split(source)).toMatchObject({
      proof: '  simp\n  cases h with\n  | inl x => rfl\n  | inr x =>\n    rfl',
    });
  });

  test('a tactic on the line of by keeps its continuation to its right', () => {
    expect(split('theorem a : p := by simp\n    [b,\n      c]')).toMatchObject({ proof: '  simp\n    [b,\n      c]' });
    expect(split('theorem a : p := by simp\n                    omega')).toMatchObject({ proof: '  simp\n  omega' });
  });
});
