/** Tests the rules that turn TIP goals into Lean statements, and goals without a rule. Under 1 s. */
import { describe, expect, it } from 'vitest';
import { renderGoal, type Vocabulary } from './goal.ts';
import { parseSExpressions } from './s-expression.ts';

const vocabulary: Vocabulary = {
  terms: new Map([
    ['f', 'f'],
    ['|-|', 'minus'],
    ['-2', 'minus'],
    ['elem', 'elem'],
  ]),
  types: new Map([
    ['Nat', 'Nat'],
    ['Bool', 'Bool'],
    ['Tree', 'Tree'],
  ]),
  comparing: new Set(['elem']),
};
const render = (goal: string) => renderGoal('t', parseSExpressions(`(prove ${goal})`, 'test'), vocabulary);

describe('goals', () => {
  it.each([
    [
      '(forall ((n Nat) (m Nat) (b Bool)) (= (|-2| n (S m)) (S (S Z))))',
      'theorem t (n m : Nat) (b : Bool) : minus n (m + 1) = 2',
    ],
    [
      '(forall ((n Nat)) (=> (f n) (=> (not (f n)) (distinct n Z))))',
      'theorem t (n : Nat) : f n = true → f n = false → n ≠ 0',
    ],
    ['(forall ((n Nat)) (=> (=> (f n) (f n)) (f n)))', 'theorem t (n : Nat) : (f n = true → f n = true) → f n = true'],
    ['(forall ((n Nat)) (and (f n) (or (f n) (f n))))', 'theorem t (n : Nat) : f n = true ∧ (f n = true ∨ f n = true)'],
    ['(forall ((n Nat)) (= (or (f n) (f n)) (f n)))', 'theorem t (n : Nat) : (f n || f n) = f n'],
    [
      '(par (a b) (forall ((g (=> a b)) (xs (list (pair a b))) (q (Tree a))) (= (@ g (f q)) (f (cons xs (_ nil a))))))',
      'theorem t {α β : Type} (g : α → β) (xs : List (α × β)) (q : Tree α) : g (f q) = f [xs]',
    ],
    [
      '(par (a) (forall ((x a) (xs (list a))) (elem x (cons x (cons x xs)))))',
      'theorem t {α : Type} [DecidableEq α] (x : α) (xs : List α) : elem x (x :: x :: xs) = true',
    ],
    [
      '(par (a) (forall ((xs (list a))) (=> (not (match xs ((nil true) ((cons x y) false)))) (f xs))))',
      'theorem t {α : Type} (xs : List α) : xs ≠ [] → f xs = true',
    ],
    [
      '(par (a) (forall ((xs (list a))) (= (match xs ((nil true) ((cons x y) false))) (f xs))))',
      'theorem t {α : Type} (xs : List α) : xs.isEmpty = f xs',
    ],
    [
      '(forall ((x Nat)) (let ((z (ite (f x) x Z))) (= z (f z))))',
      'theorem t (x : Nat) : (if f x then x else 0) = f (if f x then x else 0)',
    ],
    [
      '(forall ((x Nat)) (f (lambda ((p (pair Nat Nat))) (match p (((pair2 y z) z))))))',
      'theorem t (x : Nat) : f (fun p => p.2) = true',
    ],
    [
      '(par (a) (forall ((x a)) (f (lambda ((y a)) (lambda ((z a)) (= y z))))))',
      'theorem t {α : Type} [DecidableEq α] (x : α) : f (fun y z => decide (y = z)) = true',
    ],
  ])('%s', (goal, statement) => {
    expect(render(goal)).toBe(statement);
  });

  it.each([
    ['(forall ((n Nat)) (= (g n) n))', 'symbol g'],
    ['(forall ((n Real)) (= n n))', 'type Real'],
    ['(forall ((n Nat)) (= (match n ((Z n) ((S m) m))) n))', 'match'],
  ])('%s has no translation', (goal, what) => {
    expect(() => render(goal)).toThrow(what);
  });

  it('there must be one goal', () => {
    expect(() => renderGoal('t', [], vocabulary)).toThrow('0 goals');
  });
});

describe('SMT-LIB text', () => {
  it('nests, with comments and quoted symbols', () => {
    expect(parseSExpressions('; a ( comment\n(a (b) |c d|) e', 'test')).toEqual([['a', ['b'], 'c d'], 'e']);
  });

  it.each([
    ['(a\n(b)', 'test:2: "(" without ")"'],
    ['a\n\n)', 'test:3: ")" without "("'],
    ['|a', 'test:1: unended quoted symbol'],
    ['('.repeat(300), 'nested deeper'],
  ])('%j is an error with its place', (text, message) => {
    expect(() => parseSExpressions(text, 'test')).toThrow(message);
  });
});
