/**
 * Literals stand for terms: `3` for `Nat.succ (Nat.succ (Nat.succ Nat.zero))`, `"ab"` for `String.ofList ['a', 'b']` with
 * `Char.ofNat 97` for `'a'`. They have a type when the constants they stand for are there and have the right types.
 */
import { type Expr, NATURAL } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import type { Name } from '../name.ts';
import { apply, isConstant } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import type { Checker } from './checker.ts';

export class Literals {
  readonly #checker: Checker;
  #naturalType: Expr | null = null;
  #stringType: Expr | null = null;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** `Nat`, or a rejection where it is not the inductive type of zero and successor. */
  naturalType(): Expr {
    if (this.#naturalType !== null) return this.#naturalType;
    const { terms, environment, known } = this.#checker;
    const nat = this.#constant(known.nat);
    const constant = environment.find(known.nat);
    const isNat =
      constant?.kind === 'inductive' &&
      constant.levelParams.length === 0 &&
      constant.type === terms.sort(terms.levels.one) &&
      constant.constructors.length === 2 &&
      constant.constructors[0] === known.natZero &&
      constant.constructors[1] === known.natSucc &&
      environment.find(known.natZero)?.type === nat &&
      environment.find(known.natSucc)?.type === terms.forall(nat, nat);
    if (!isNat) throw new Rejection('literal', 'a number, but Nat is not the type of zero and successor');
    this.#naturalType = nat;
    return nat;
  }

  /** `String`, or a rejection where the constants that make strings are not there with their types. */
  stringType(): Expr {
    if (this.#stringType !== null) return this.#stringType;
    const { terms, known, inference, equality } = this.#checker;
    const nat = this.naturalType();
    const string = this.#constant(known.string);
    const char = this.#constant(known.char);
    const type = terms.sort(terms.levels.one);
    const chars = terms.application(this.#list(known.list), char);
    const expected: [Expr, Expr][] = [
      [string, type],
      [char, type],
      [this.#constant(known.charOfNat), terms.forall(nat, char)],
      [this.#constant(this.stringMaker()), terms.forall(chars, string)],
      [terms.application(this.#list(known.listNil), char), chars],
      [terms.application(this.#list(known.listCons), char), terms.forall(char, terms.forall(chars, chars))],
    ];
    for (const [constant, its] of expected)
      if (!equality.isEqual(inference.check(constant), its))
        throw new Rejection('literal', 'a string, but the constants that make strings have other types');
    this.#stringType = string;
    return string;
  }

  /** The literal as `Nat.zero`, or the successor of the literal below. */
  naturalAsConstructor(literal: Expr): Expr {
    const { terms, known } = this.#checker;
    const value = terms.naturalValue(literal);
    return value === 0n
      ? this.#constant(known.natZero)
      : terms.application(this.#constant(known.natSucc), terms.natural(value - 1n));
  }

  /** The literal as the application that makes it. */
  stringAsApplication(literal: Expr): Expr {
    const { terms, known, budget } = this.#checker;
    this.stringType();
    const char = this.#constant(known.char);
    const points = Array.from(terms.stringValue(literal), (character) => character.codePointAt(0)!);
    budget.steps(points.length);
    const cons = terms.application(this.#list(known.listCons), char);
    let list = terms.application(this.#list(known.listNil), char);
    for (const point of points.reverse())
      list = apply(terms, cons, [
        terms.application(this.#constant(known.charOfNat), terms.natural(BigInt(point))),
        list,
      ]);
    return terms.application(this.#constant(this.stringMaker()), list);
  }

  /** The value of a literal or of `Nat.zero`, or null. */
  naturalValue(expr: Expr): bigint | null {
    const { terms, known } = this.#checker;
    if (terms.kind(expr) === NATURAL) return terms.naturalValue(expr);
    return isConstant(terms, expr, known.natZero) ? 0n : null;
  }

  /** `String.ofList` where it is declared, else the constructor that older versions have. */
  stringMaker(): Name {
    const { environment, known } = this.#checker;
    return environment.has(known.stringOfList) ? known.stringOfList : known.stringMk;
  }

  #constant(name: Name): Expr {
    return this.#checker.terms.constant(name, EMPTY_LEVELS);
  }

  #list(name: Name): Expr {
    const { terms } = this.#checker;
    return terms.constant(name, terms.levels.list([terms.levels.zero]));
  }
}
