/** When two statements are the same once names are slots: what is kept out of training, and what is not. */

import type { ShownDefinition } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { slotKey, theoremKey } from './slot-key.ts';

const shown = (written: string, signature: string): ShownDefinition => ({
  name: `Any.${written}`,
  written,
  kind: 'function',
  distance: 0,
  signature,
  equations: [],
  constructors: [],
});
const ON_NUMBERS = ': Nat → Nat → Nat';
const keyOf = (statement: string, ...definitions: ShownDefinition[]) => slotKey(statement, definitions);
const commutes = (name: string, signature = ON_NUMBERS) =>
  keyOf(`theorem t (a b : Nat) : ${name} a b = ${name} b a`, shown(name, signature));

describe('the key of a statement with slots', () => {
  it('sees neither names of definitions nor of variables', () => {
    expect(commutes('plus')).toBe(commutes('addN'));
    expect(keyOf('theorem u (x : Nat) (y : Nat) : f x y = f y x', shown('f', ON_NUMBERS))).toBe(commutes('plus'));
    expect(commutes('plus', '(m n : Nat) : Nat')).toBe(commutes('plus', '(x y : Nat) : Nat'));
  });

  it('sees types, which names stand where, and what core Lean means', () => {
    expect(commutes('plus', ': Nat → Nat → Int')).not.toBe(commutes('plus'));
    const two = [shown('f', ON_NUMBERS), shown('g', ON_NUMBERS)];
    const differing = keyOf('theorem t (a b : Nat) : f a b = g b a', ...two);
    expect(differing).not.toBe(commutes('f'));
    expect(keyOf('theorem t (a b : Nat) : a + b = b + a')).not.toBe(keyOf('theorem t (a b : Nat) : a * b = b * a'));
  });

  it('does not look at what the statement does not mention itself', () => {
    const far = { ...shown('far', ': Nat'), distance: 1 };
    expect(keyOf('theorem t (a b : Nat) : f a b = f b a', shown('f', ON_NUMBERS), far)).toBe(commutes('f'));
  });
});

describe('the key of a theorem', () => {
  const plus = { ...shown('plus', ON_NUMBERS), equations: ['0, y => y', 'x + 1, y => plus x y + 1'] };
  const add = { ...shown('add', ON_NUMBERS), equations: ['0, n => n', 'm + 1, n => add m n + 1'] };
  const min = { ...shown('min', ON_NUMBERS), equations: ['0, y => 0', 'x + 1, 0 => 0', 'x + 1, y + 1 => min x y + 1'] };
  const len = { ...shown('len', ': List Nat → Nat'), equations: ['[] => 0', '_ :: xs => len xs + 1'] };
  const all = [plus, add, min, len];
  const key = (statement: string) =>
    theoremKey(statement, (text) => all.filter(({ written }) => new RegExp(`\\b${written}\\b`, 'u').test(text)));

  it('sees no names, of variables or of definitions', () => {
    expect(key('theorem t (a b : Nat) : plus a b = plus b a')).toBe(key('theorem u (x y : Nat) : add x y = add y x'));
  });

  it('sees what definitions say: that two functions commute are two theorems', () => {
    const [sums, minima] = ['plus', 'min'].map((f) => `theorem t (a b : Nat) : ${f} a b = ${f} b a`);
    expect(key(sums!)).not.toBe(key(minima!));
    expect(slotKey(sums!, [plus])).toBe(slotKey(minima!, [min]));
    const deep = (equation: string) =>
      theoremKey('theorem t (a : Nat) : f a = a', () => [
        shown('f', ': Nat → Nat'),
        { ...shown('g', ': Nat → Nat'), distance: 1, equations: [equation] },
      ]);
    expect(deep('x => x')).not.toBe(deep('x => x + 1'));
    expect(deep('x => x')).toBe(deep('y => y'));
  });

  it('is the same for an equation turned round, and for binders in another order', () => {
    const one = key('theorem t (xs : List Nat) (n : Nat) : plus n (len xs) = plus (len xs) n');
    expect(key('theorem t (n : Nat) (xs : List Nat) : plus n (len xs) = plus (len xs) n')).toBe(one);
    const other = key('theorem t (xs ys : List Nat) (n : Nat) : min (len xs) n = plus n (len ys)');
    expect(key('theorem t (n : Nat) (a b : List Nat) : plus n (len b) = min (len a) n')).toBe(other);
    expect(key('theorem t (n : Nat) (a b : List Nat) : plus n (len b) = min (len b) n')).not.toBe(other);
    expect(key('theorem t {α : Type} (n : Nat) (x : α) (h : x = x) : n = min n n')).toBe(
      key('theorem t (n : Nat) {β : Type} (y : β) (h : y = y) : min n n = n'),
    );
  });

  it('does not look at types that definitions determine, and does where the signs of core Lean do not say them', () => {
    const lists = key('theorem t {α : Type} [DecidableEq α] (xs : List α) : len xs = min (len xs) (len ([] : List α))');
    expect(key('theorem t (xs : List Nat) : len xs = min (len xs) (len ([] : List Nat))')).toBe(lists);
    const [numbers, integers] = ['Nat', 'Int'].map((type) => key(`theorem t (a b : ${type}) : a + b = b + a`));
    expect(numbers).not.toBe(integers);
    const under = (hypothesis: string) => key(`theorem t (a b : Nat) (h : ${hypothesis}) : min a b = a`);
    expect(under('a = b')).not.toBe(under('a ≤ b'));
  });

  it('turns round nothing but equations', () => {
    const key1 = key('theorem t (a b : Nat) : min a b = a ∨ min a b = b');
    expect(key1).not.toBe(key('theorem t (a b : Nat) : a ∨ min a b = b = min a b'));
    expect(key('theorem t (a b : Nat) : a < b')).not.toBe(key('theorem t (a b : Nat) : b > a'));
  });
});
