/** Kept proofs are written as they were checked: printed from their tokens. No Lean; under a second. */
import { expect, test } from 'vitest';
import { LIBRARY_HEADER } from './header.ts';
import { headerOf, theoremText } from './kept-theorem.ts';

test('statement, proof and header are printed from their tokens', () => {
  const statement = 'theorem a (n : Nat) -- n\n  : n = n';
  expect(theoremText('Kept.b', { statement, proof: 'skip -- "\n/- " -/\nrfl' })).toBe(
    'theorem Kept.b (n : Nat)\n  : n = n := by\n  skip\n\n  rfl',
  );
  expect(theoremText('c', { statement: 'theorem a.{u} (α : Type u) : α = α', proof: 'rfl' })).toBe(
    'theorem c.{u} (α : Type u) : α = α := by\n  rfl',
  );
  expect(headerOf('import A -- a\nopen B')).toBe('import A\nopen B');
  expect(headerOf(null)).toBe(LIBRARY_HEADER);
});

test('what the screen refuses is not written', () => {
  const hidden = 'let rec /--/ " -/ f := 0\n  sorry /- " -/';
  for (const write of [
    () => theoremText('b', { statement: 'theorem a : True', proof: hidden }),
    () => theoremText('b', { statement: 'theorem a («b» : Nat) : True', proof: 'rfl' }),
    () => headerOf('axiom a : False'),
  ]) {
    expect(write).toThrow(expect.objectContaining({ code: 'STP1402' }));
  }
});
