/**
 * Literals stand for terms: `3` for `Nat.succ (Nat.succ (Nat.succ Nat.zero))`, `"ab"` for `String.ofList ['a', 'b']`,
 * where `'a'` is `Char.ofNat 97`. They have a type if these constants exist and are what they must be
 * (`special/constants.ts`).
 */
import type { Expr } from '../expr.ts';
import { apply } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import type { Checker } from './checker.ts';

/** Number of bits of a literal that cost one step when it is converted. */
const BITS_PER_STEP = 64;

export class Literals {
  readonly #checker: Checker;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** Returns `Nat`. Rejects if it is not the inductive type of zero and successor. */
  naturalType(): Expr {
    return this.#naturals().type;
  }

  /** Returns `String`. Rejects if the constants that make strings do not exist with their types. */
  stringType(): Expr {
    return this.#strings().type;
  }

  /** Returns the literal as `Nat.zero`, or as the successor of the preceding literal. */
  naturalAsConstructor(literal: Expr): Expr {
    const { terms } = this.#checker;
    const { zero, successor } = this.#naturals();
    const below = this.predecessor(literal);
    return below === null ? zero : terms.application(successor, below);
  }

  /** Returns the preceding literal of a literal other than zero, otherwise null. */
  predecessor(literal: Expr): Expr | null {
    const { terms, budget } = this.#checker;
    const value = terms.naturalValue(literal);
    if (value === 0n) return null;
    if (value >= 1n << 64n) budget.steps(Math.ceil((value.toString(16).length * 4) / BITS_PER_STEP));
    return terms.natural(value - 1n);
  }

  /** Returns the literal as the application that makes it. */
  stringAsApplication(literal: Expr): Expr {
    const { terms, budget } = this.#checker;
    const { charOfNat, nil, cons, maker } = this.#strings();
    const points = Array.from(terms.stringValue(literal), (character) => character.codePointAt(0)!);
    budget.steps(points.length);
    const characters = points.map((point) => terms.application(charOfNat, terms.natural(BigInt(point))));
    const list = characters.reduceRight((rest, character) => apply(terms, cons, [character, rest]), nil);
    return terms.application(maker, list);
  }

  /** Whether the expression is an application of the function that makes strings. */
  isMadeString(expr: Expr): boolean {
    const { terms, special } = this.#checker;
    return terms.isApplication(expr) && terms.fn(expr) === special.strings()?.maker;
  }

  #naturals() {
    const naturals = this.#checker.special.naturals();
    if (naturals === null) throw new Rejection('literal', 'a number, but Nat is not the type of zero and successor');
    return naturals;
  }

  #strings() {
    const strings = this.#checker.special.strings();
    if (strings === null)
      throw new Rejection('literal', 'a string, but the constants that make strings are not what they must be');
    return strings;
  }
}
