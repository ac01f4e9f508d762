import { markersOf } from '@stp/language-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conjecturerPrompt,
  displayProof,
  displayStatement,
  MARKERS,
  parseConjecture,
  proverExample,
  proverPrompt,
} from './prompts.ts';

describe('prompts', () => {
  it('drops the name and extra white space of a statement', () => {
    expect(displayStatement('theorem  foo\n  (n : Nat)  : n = n')).toBe('(n : Nat) : n = n');
    expect(displayStatement('theorem foo : True')).toBe(': True');
    expect(displayStatement("lemma A.b' {α : Type} (x : α) : x = x")).toBe('{α : Type} (x : α) : x = x');
  });
  it('dedents a proof and keeps its inner indentation', () => {
    expect(displayProof('\n  cases n with\n  | zero => rfl\n  | succ n =>\n    simp  \n\n')).toBe(
      'cases n with\n| zero => rfl\n| succ n =>\n  simp',
    );
  });
  it('uses one form for training and sampling', () => {
    const example = proverExample('theorem t (n : Nat) : n = n', '  rfl', 1);
    expect(example.prompt).toBe(proverPrompt('theorem other (n : Nat) : n = n'));
    expect(example.target).toBe('rfl');
  });
  it('shows a lemma, or True where none is asked', () => {
    const input = { easyStatement: 'theorem t : 1 = 1', easyProof: 'rfl' };
    expect(conjecturerPrompt({ ...input, lemma: null })).toBe('<lemma>True<easy>: 1 = 1<by>rfl<hard>');
    expect(conjecturerPrompt({ ...input, lemma: 'theorem l (n : Nat) : n = n' })).toContain(
      '<lemma>(n : Nat) : n = n<easy>',
    );
  });
  it('writes only markers that the tokenizer keeps whole', () => {
    for (const marker of MARKERS) expect(markersOf(['<state>'])).toContain(marker);
  });
});

const SURVIVING_LITERAL = 'theorem c (p : Nat × Nat) : ({ fst := 1, snd := 2 } : Nat × Nat) = p';

describe('parseConjecture', () => {
  it.each([
    ['(n : Nat) : n + 0 = n', 'theorem c (n : Nat) : n + 0 = n'],
    [': ∀ n : Nat, n = n', 'theorem c : ∀ n : Nat, n = n'],
    ['(n : Nat) :\n  n = n', 'theorem c (n : Nat) : n = n'],
    ['(l : List Nat) : 1 :: l ≠ []', 'theorem c (l : List Nat) : 1 :: l ≠ []'],
    ['(n : Nat) : (let m := n; m) = n', 'theorem c (n : Nat) : (let m := n; m) = n'],
    ['(n : Nat := 0) : n = n', 'theorem c (n : Nat := 0) : n = n'],
    ['(n : Nat) : let m := n; m = n', 'theorem c (n : Nat) : let m := n; m = n'],
    ['(n : Nat) :\n  let m := n\n  m = n', 'theorem c (n : Nat) : let m := n; m = n'],
    ['(n : Nat) : let m := n; m = n := by\n  intro m; rfl', 'theorem c (n : Nat) : let m := n; m = n'],
    ['(p : Nat × Nat) : ({ fst := 1, snd := 2 } : Nat × Nat) = p := by exact (', SURVIVING_LITERAL],
    ['(n : Nat) : n = n := by rfl', 'theorem c (n : Nat) : n = n'],
    ['theorem foo (n : Nat) : n = n := by', 'theorem c (n : Nat) : n = n'],
    ['theorem foo (n : Nat) : n = n := by\n</hard theorem> theorem', 'theorem c (n : Nat) : n = n'],
  ])('reads %s', (text, expected) => {
    expect(parseConjecture(text, 'c')).toBe(expected);
  });
  it.each([
    ['', 'nothing'],
    ['n = n', 'no colon'],
    ['(n : Nat : n = n', 'an open bracket'],
    ['(n : Nat) : n = n)', 'a closing bracket too many'],
    ['(n : Nat] : n = n', 'brackets that cross'],
    ['(n : Nat) :', 'no type'],
    ['foo (n : Nat) : n = n', 'a name of its own'],
    ['(n : Nat) : n = n <hard> : False', 'a marker'],
  ])('refuses %s: %s', (text) => {
    expect(parseConjecture(text, 'c')).toBeNull();
  });
  it('never throws, and what it returns starts with our name and has no second declaration mark at depth 0', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'()[]{}⟨⟩: =abn∀,\n') }), (text) => {
        const parsed = parseConjecture(text, 'c');
        if (parsed !== null) expect(parsed.startsWith('theorem c ')).toBe(true);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
  it('gives a statement back that was printed with the start of a proof behind it', () => {
    const name = fc.constantFrom('a', 'b', 'x₁', "n'", 'hyp');
    const value = fc.constantFrom('0', 'n + 1', '(fun x => x)', '{ fst := 1, snd := 2 }', '[1, 2]', '"a:=b"');
    const binder = fc
      .tuple(name, fc.constantFrom('Nat', 'List Nat', '∀ n : Nat, n = n'), fc.option(value))
      .map(([word, type, given]) => (given === null ? `(${word} : ${type})` : `(${word} : ${type} := ${given})`));
    const proposition = fc.constantFrom('n = n', '1 :: l ≠ []', '(let k := 1; k) = 1', '∃ m : Nat, m = 0');
    const local = fc.tuple(fc.constantFrom('let', 'have'), name, value).map(([word, a, b]) => `${word} ${a} := ${b}; `);
    const statement = fc
      .tuple(fc.array(binder, { maxLength: 4 }), fc.array(local, { maxLength: 3 }), proposition)
      .map(([binders, locals, type]) => `theorem c ${[...binders, ''].join(' ')}: ${locals.join('')}${type}`);
    const ending = fc.constantFrom(
      '',
      ' := by',
      ':=by simp',
      ' := by\n  have h : 1 = 1 := rfl\n  (',
      ' := fun x => x)',
    );
    fc.assert(
      fc.property(statement, ending, (text, proof) => {
        expect(parseConjecture(text + proof, 'c')).toBe(text);
        expect(parseConjecture(displayStatement(text) + proof, 'c')).toBe(text);
      }),
      { seed: 2 },
    );
  });
});
