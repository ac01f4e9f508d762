/** Theorems that reduce a relation to images, equations that move functions inwards or rewrite, and the forms of theorems. */
import { expect, it } from 'vitest';
import { imageFunction, pushOf } from './pushes.ts';
import { rewriteRuleOf } from './rewrite-rules.ts';
import { statementForm } from './statement-form.ts';
import { transfersOf } from './transfers.ts';

it.each([
  ['{a b : UInt8} : a.toBitVec = b.toBitVec ↔ a = b', ['= ·.toBitVec right UInt8']],
  ['{a b : UInt8} : a < b ↔ a.toNat < b.toNat', ['< ·.toNat left UInt8']],
  ['{n : Nat} {x y : BitVec n} : x.toNat = y.toNat → x = y', ['= ·.toNat rule Nat BitVec']],
  ['{n : Nat} {i j : Fin n} (h : i.val ≠ j.val) : i ≠ j', ['≠ ·.val rule Nat Fin']],
  ['{m n : Nat} : Int.negSucc m = Int.negSucc n ↔ m = n', ['= Int.negSucc · right Nat']],
  ['{m n : Nat} : (↑m : Int) = (↑n : Int) ↔ m = n', ['= ( ↑ · : Int ) right Nat']],
  ['{a b : Nat} : a + (1 : Nat) = b + (1 : Nat) ↔ a = b', ['= · + ( 1 : Nat ) right Nat']],
])('finds what %s reduces', (text, found) => {
  const told = transfersOf(text).map(({ relation, image, valuesOn, types }) =>
    [relation, image, valuesOn ?? 'rule', ...types].join(' '),
  );
  expect(told).toEqual(found);
});

it.each([
  // A hypothesis is reduced, not the conclusion.
  '{a b : Nat} (h : a = b) : a.succ = b.succ',
  // The image has further variables.
  '{a b c : Nat} : a + b = a + c ↔ b = c',
  // Both sides of the other relation are no images of the two.
  '{a b : Nat} : a = b ↔ a ≤ b ∧ b ≤ a',
  '{a b : Nat} : a.succ = a.succ ↔ a = b',
  '{a : Nat} : a.succ = a.succ ↔ a = a',
  '{a b c : Nat} : a ≤ b → b ≤ c → a ≤ c',
  '(n : Nat) : n = 0 ↔ n.succ = 1',
  '',
  ':',
  '(a b : Nat',
])('finds nothing in %s', (text) => {
  expect(transfersOf(text)).toEqual([]);
});

it.each([
  ['(a b : UInt16) : (a &&& b).toBitVec = a.toBitVec &&& b.toBitVec', 'toBitVec', ['&&&'], ['&&&', 'UInt16']],
  [
    '(n : UInt16) : n.toUInt64.toBitVec = BitVec.setWidth (64 : Nat) n.toBitVec',
    'toBitVec',
    ['toUInt64'],
    ['toUInt64', 'UInt16'],
  ],
  [': Int8.minValue.toBitVec = BitVec.intMin (8 : Nat)', 'toBitVec', ['Int8.minValue'], ['Int8.minValue']],
  [
    '{w i : Nat} (x y : BitVec w) (h : i ≤ w) : BitVec.setWidth i (x * y) = BitVec.setWidth i x * BitVec.setWidth i y',
    'setWidth',
    ['*', 'BitVec'],
    ['*', 'BitVec', '≤'],
  ],
  ['{n : Nat} (i : Fin n) : ↑(i.rev) = n - (↑i + (1 : Nat))', '↑', ['rev'], ['rev', 'Fin']],
])('finds the function that %s moves inwards', (text, of, left, terms) => {
  const push = pushOf(text);
  expect([push?.function, push?.left, push?.terms]).toEqual([of, left, terms]);
});

it.each([
  '(n : UInt8) : n.toNat = n.toBitVec.toNat',
  '(a b : Nat) : a + b = b + a',
  '(a b : Nat) : Nat.gcd a b + a = a',
  '{a b : UInt8} : (a + b).toNat = 0 ↔ b = a',
  '(f : Nat → Nat) : f = f',
  'True',
  '(',
])('moves nothing inwards in %s', (text) => {
  expect(pushOf(text)).toBeNull();
});

it('names the function of an image as equations do', () => {
  expect(['·.toNat', 'Int.negSucc ·', '↑ ·', '- ·', '· + 1', '·'].map(imageFunction)).toEqual([
    'toNat',
    'negSucc',
    '↑',
    null,
    null,
    null,
  ]);
});

it('gives theorems on different types one form', () => {
  const list = '.{u, v} {α : Type u} {β : Type v} {f : α → β} {xs : List α} : (List.map f xs).length = xs.length';
  const array = '{γ δ : Type} (g : γ → δ) (l : Array γ) : (Array.map g l).length = l.length';
  expect(statementForm(list)).toBe('( map #0 #1 ) . length = #1.length');
  expect(statementForm(array)).toBe(statementForm(list));
  expect(statementForm('(a : UInt8) : a + (0 : UInt8) = a')).toBe(statementForm('{x : Nat} : x + (0 : Nat) = x'));
  expect(statementForm('(a b : Nat) : a + b = b + a')).not.toBe(statementForm('(a b : Nat) : a + b = a + b'));
  expect(['', ':', ': (0 :', '('].map(statementForm)).toEqual(['', '', '0', '(']);
});

it('says what an equation rewrites, by the names of constants', () => {
  const found = rewriteRuleOf(
    '{α : Type u} [Least? α] {r : Std.Rco α} {i : Nat} : r.toList[i]? = Option.filter (fun (a : α) ↦ a < r.upper) (Std.succMany? i r.lower)',
  );
  expect(found).toEqual({
    left: ['Std.Rco.toList', 'toList', 'GetElem?.getElem?'],
    types: ['Std.Rco', 'Rco', 'Nat'],
    isConditional: false,
    right: ['Option.filter', 'Std.succMany?'],
  });
  expect(rewriteRuleOf('{xs : List Nat} (h : xs ≠ []) : xs.head? = Option.some (xs.head h)')).toMatchObject({
    left: ['List.head?', 'head?'],
    isConditional: true,
  });
  expect(rewriteRuleOf('{xs : List Nat} : xs.isEmpty = true ↔ xs.length = 0')!.left).toContain('List.isEmpty');
});

it.each([
  // It would rewrite its own result.
  '{xs ys : List Nat} : xs.append ys = ys.append xs',
  '{xs : List Nat} : xs.reverse = (xs.reverse.reverse).reverse',
  // Not an equation, nothing but operators, or below a binder.
  '{xs : List Nat} : xs.length ≤ xs.length + 1',
  '{a b : Nat} : a + 0 = a',
  '{f g : Nat → Nat} : (∃ n, f n = g n) → ∃ n, g n = f n',
  '',
])('no rule is %s', (text) => {
  expect(rewriteRuleOf(text)).toBeNull();
});
