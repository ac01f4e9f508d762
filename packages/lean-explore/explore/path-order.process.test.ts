/** The order that says which side of an equation is rewritten to the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NATURAL_TYPE } from './ground-type.ts';
import { byPathOrder } from './path-order.ts';
import type { TermSymbol } from './symbol-schemes.ts';
import { applied, substituted, type Term, variablesOf, variableTerm } from './terms.ts';

const SCHEME = {} as TermSymbol['scheme'];
const symbolOf = (name: string, arity: number, isConstructor = false): TermSymbol => ({
  name,
  scheme: SCHEME,
  types: [],
  arguments: Array.from({ length: arity }, () => NATURAL_TYPE),
  result: NATURAL_TYPE,
  isConstructor,
});
const [zero, succ, plus, times, s] = [
  symbolOf('Nat.zero', 0, true),
  symbolOf('Nat.succ', 1, true),
  symbolOf('plus', 2),
  symbolOf('times', 2),
  symbolOf('s', 1),
];
/** `times` is defined by `plus`, and `plus` by `s`. */
const RANKS: Readonly<Record<string, number>> = { 'Nat.zero': 0, 'Nat.succ': 1, s: 1, plus: 2, times: 3 };
const rankOf = (name: string): number => RANKS[name]!;
const [n, m, k] = [0, 1, 2].map((index) => variableTerm({ type: NATURAL_TYPE, index }));

const turned = (left: Term, right: Term): boolean => byPathOrder({ left, right }, rankOf).left !== left;
/** Is the first side the greater one, in whatever order they stand? */
const isGreater = (one: Term, other: Term): boolean => !turned(one, other) && turned(other, one);

test('constructors move outwards, and definitions are unfolded', () => {
  const [a, b, c] = [n!, m!, k!];
  const next = (term: Term): Term => applied(succ!, [term]);
  const sum = (one: Term, other: Term): Term => applied(plus!, [one, other]);
  expect(isGreater(sum(a, next(b)), next(sum(a, b)))).toBe(true);
  expect(isGreater(sum(sum(a, b), c), sum(a, sum(b, c)))).toBe(true);
  expect(isGreater(sum(a, next(applied(zero!, []))), applied(s!, [a]))).toBe(true);
  expect(isGreater(applied(times!, [a, next(b)]), sum(a, applied(times!, [a, b])))).toBe(true);
  expect(isGreater(sum(a, applied(zero!, [])), a)).toBe(true);
});

test('what cannot be ordered stays as it was found', () => {
  const [one, other] = [applied(plus!, [n!, m!]), applied(plus!, [m!, n!])];
  expect([turned(one, other), turned(other, one)]).toEqual([false, false]);
  // It has a variable that the other side has not.
  expect([turned(applied(s!, [n!]), applied(times!, [m!, m!])), turned(n!, m!)]).toEqual([false, false]);
});

test('an equation under a condition keeps the condition', () => {
  const condition = { left: applied(s!, [n!]), right: applied(zero!, []) };
  const equation = { left: applied(succ!, [n!]), right: applied(plus!, [n!, n!]), condition };
  expect(byPathOrder(equation, rankOf)).toEqual({ left: equation.right, right: equation.left, condition });
});

const termOf = fc.letrec<{ term: Term }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(n!, m!, k!, applied(zero!, [])),
    tie('term').map((one) => applied(succ!, [one])),
    tie('term').map((one) => applied(s!, [one])),
    fc.tuple(tie('term'), tie('term')).map((both) => applied(plus!, both)),
    fc.tuple(tie('term'), tie('term')).map((both) => applied(times!, both)),
  ),
})).term;

test('is a reduction order: strict, transitive, kept by what stands around terms and in their variables', () => {
  fc.assert(
    fc.property(termOf, termOf, termOf, termOf, (one, other, third, inside) => {
      if (!isGreater(one, other)) return;
      expect(isGreater(other, one)).toBe(false);
      if (isGreater(other, third)) expect(isGreater(one, third)).toBe(true);
      for (const variable of variablesOf(other)) expect(variablesOf(one)).toContainEqual(variable);
      expect(isGreater(applied(plus!, [third, one]), applied(plus!, [third, other]))).toBe(true);
      const bound = new Map([[n!.key, inside]]);
      expect(isGreater(substituted(one, bound), substituted(other, bound))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
