/**
 * Literals stand for terms: `3` for `Nat.succ (Nat.succ (Nat.succ Nat.zero))`, `"ab"` for `String.ofList ['a', 'b']` with
 * `Char.ofNat 97` for `'a'`. They have a type where the constants they stand for are there and are what they must be
 * (`special/constants.ts`).
 */
import type { Expr } from '../expr.ts';
import { apply } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import type { Checker } from './checker.ts';

/** Bits of a literal that count as one step where it is taken apart. */
const BITS_PER_STEP = 64;

export class Literals {
  readonly #checker: Checker;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** `Nat`, or a rejection where it is not the inductive type of zero and successor. */
  naturalType(): Expr {
    return this.#naturals().type;
  }

  /** `String`, or a rejection where the constants that make strings are not there with their types. */
  stringType(): Expr {
    return this.#strings().type;
  }

  /** The literal as `Nat.zero`, or the successor of the literal below. */
  naturalAsConstructor(literal: Expr): Expr {
    const { terms } = this.#checker;
    const { zero, successor } = this.#naturals();
    const below = this.predecessor(literal);
    return below === null ? zero : terms.application(successor, below);
  }

  /** The literal below one that is not zero, else null. */
  predecessor(literal: Expr): Expr | null {
    const { terms, budget } = this.#checker;
    const value = terms.naturalValue(literal);
    if (value === 0n) return null;
    if (value >= 1n << 64n) budget.steps(Math.ceil((value.toString(16).length * 4) / BITS_PER_STEP));
    return terms.natural(value - 1n);
  }

  /** The literal as the application that makes it. */
  stringAsApplication(literal: Expr): Expr {
    const { terms, budget } = this.#checker;
    const { charOfNat, nil, cons, maker } = this.#strings();
    const points = Array.from(terms.stringValue(literal), (character) => character.codePointAt(0)!);
    budget.steps(points.length);
    const characters = points.map((point) => terms.application(charOfNat, terms.natural(BigInt(point))));
    const list = characters.reduceRight((rest, character) => apply(terms, cons, [character, rest]), nil);
    return terms.application(maker, list);
  }

  /** Whether the expression applies the constant that makes strings. */
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
