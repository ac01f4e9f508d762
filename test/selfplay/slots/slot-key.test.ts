/** When two statements are the same once names are slots: what is kept out of training, and what is not. */
import { describe, expect, it } from 'vitest';
import type { ShownDefinition } from '../../../data/schemas/shown-definition.ts';
import { slotKey } from '../../../selfplay/slots/slot-key.ts';

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
