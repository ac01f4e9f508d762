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
