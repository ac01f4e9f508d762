/** How a premise relates to a statement, on texts as Lean prints them. */
import { expect, it } from 'vitest';
import { premiseParts, statedTerms } from './premise-fit.ts';

const relation = (text: string): string => statedTerms(text).relation;

it('finds the main relation of a conclusion', () => {
  expect(
    [
      '{a b : Nat} (h : a = b) : a ≤ b',
      '(l : List α) : l <+ l ++ l',
      '(a b : Nat) : a = b ∧ b = a ↔ a = b',
      '{p q : Prop} : p ∧ q → q = p',
      '(a : Nat) : ¬a < a',
      '(a : Nat) : ∃ b, a < b',
      '{a b : Nat} : Eq (a.beq b) Bool.true → LT.lt a b',
      '(f : α → β) (a b : α) : (f a == f b) = true',
      '(a b : Nat) : a ≠ b',
      '(l : List α) : l.Nodup',
      '(x : Nat) : x <<< 1 = x * 2',
    ].map(relation),
  ).toEqual(['≤', '<+', '↔', '=', '¬', '∃', '<', '=', '≠', 'other', '=']);
});

it.each([
  ['{a b c : Prop} : a ∧ b → c ↔ a → b → c', '↔', ['∧', '→'], 0],
  ['(f g : α → β) (l : List α) : l.map f = l.map g ↔ ∀ (a : α), a ∈ l → f a = g a', '↔', ['map', '='], 0],
  ['(a : Prop) : a → False ↔ ¬a', '↔', ['→', 'False'], 0],
  ['{a b : Rat} : ¬a < b ↔ b ≤ a', '↔', ['¬', '<'], 0],
  ['(p : Prop) : ¬p ∨ p', '∨', ['¬'], 0],
  ['{a b : Prop} : a = b → (a ↔ b)', '↔', [], 1],
  ['{α : Type} : @Eq (List α) [].reverse []', '=', ['Eq', 'List', 'reverse'], 0],
  ['{p : Nat → Prop} : ¬∃ x, p x', '¬', ['¬∃', 'x'], 0],
  ['{h : Prop} : h → ∀ (x : Nat), x + 0 = x', '=', ['+', '0'], 1],
  ['{p q : Nat → Prop} : ∃ b, p b → q b', '∃', ['∃', 'b', '→'], 0],
  ['(y : Nat) : Monotone fun x => x ≤ y', 'other', ['Monotone', 'x', '≤'], 0],
  ['(n : Nat) : n+0=n', '=', ['+', '0'], 0],
  ['(n : Nat) : toString n = n.repr', '=', ['toString'], 0],
])('reads the conclusion of %s', (text, main, left, hypotheses) => {
  const read = statedTerms(text);
  expect([read.relation, read.hypotheses]).toEqual([main, hypotheses]);
  expect([...read.left].sort()).toEqual(left.sort());
});

it('tells a left side that is a variable from one whose terms all fit', () => {
  const statement = statedTerms('(b : Bool) : b = true');
  expect(premiseParts(statement, statedTerms('{b : Bool} : b = true'))).toContain('left:none');
});

it('reads nothing but white space, an open bracket and a text without a colon', () => {
  for (const text of ['', ' ', '(', ')', 'True', ': ', ': →'])
    expect(statedTerms(text)).toMatchObject({ relation: 'other' });
});

it('compares terms as the example says', () => {
  const statement = statedTerms('(xs : List α) : (xs ++ []).length = xs.length');
  const premise = statedTerms('{as bs : List α} : (as ++ bs).length = as.length + bs.length');
  const parts = premiseParts(statement, premise);
  expect(parts).toContain('says:=');
  expect(parts).toContain('same:true');
  expect(parts).toContain('left:4');
  expect(parts.find((part) => part.startsWith('fits:'))).toBe('fits:3');
  expect(premiseParts(premise, statement)).toContain('fits:4');
});

it('counts hypotheses before arrows, and keeps names of variables out of the left side', () => {
  const premise = statedTerms('{b : Bool} : ¬b = false → b = true');
  expect([premise.hypotheses, [...premise.left]]).toEqual([1, []]);
});
