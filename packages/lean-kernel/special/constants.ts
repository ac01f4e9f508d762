/**
 * Facts about the constants that the kernel treats specially, taken from their checked declarations: kind, universe
 * parameters, type, constructors, position in the block. If a fact does not hold, the constant is an ordinary one, or
 * whatever needs the fact is rejected. No rule of the kernel depends on a name alone.
 */
import type { Checker } from '../check/checker.ts';
import type { Constant, InductiveConstant } from '../environment.ts';
import { type Expr, NATURAL } from '../expr.ts';
import { EMPTY_LEVELS, type Level } from '../level.ts';
import type { Name } from '../name.ts';
import { apply, isConstant } from '../spine.ts';
import { Decline } from '../verdict.ts';
import { isMadeByConstructor } from './literal-constants.ts';
import { type KnownNames, knownNames } from './names.ts';

/** `Nat`, the inductive type with zero and successor. */
export interface Naturals {
  readonly type: Expr;
  readonly zero: Expr;
  readonly successor: Expr;
}

/** `Bool`, the inductive type with two values. */
export interface Booleans {
  readonly type: Expr;
  readonly true: Expr;
  readonly false: Expr;
}

/** The constants that make strings, with their required types. */
export interface Strings {
  readonly type: Expr;
  readonly char: Expr;
  /** `Char.ofNat` */
  readonly charOfNat: Expr;
  /** `@List.nil Char` */
  readonly nil: Expr;
  /** `@List.cons Char` */
  readonly cons: Expr;
  /** `String.mk` or `String.ofList`. */
  readonly maker: Expr;
}

export class SpecialConstants {
  readonly #checker: Checker;
  readonly #known: KnownNames;
  #naturals: Naturals | null = null;
  #booleans: Booleans | null = null;
  #strings: Strings | null = null;
  /** The function that makes strings, if this check encountered one. */
  stringMaker: Name | null = null;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#known = knownNames(checker.terms.names);
  }

  /**
   * Null if `Nat` is absent or another type. A negative answer is not cached, because `Nat` appears during the check of
   * its own block.
   */
  naturals(): Naturals | null {
    if (this.#naturals !== null) return this.#naturals;
    const { terms } = this.#checker;
    const known = this.#known;
    const type = this.#constant(known.nat);
    const zero = this.#constant(known.natZero);
    const successor = this.#constant(known.natSucc);
    const holds = this.#isPlainType(known.nat, [
      [known.natZero, type],
      [known.natSucc, terms.forall(type, type)],
    ]);
    if (holds) this.#naturals = { type, zero, successor };
    return this.#naturals;
  }

  booleans(): Booleans | null {
    if (this.#booleans !== null) return this.#booleans;
    const known = this.#known;
    const type = this.#constant(known.bool);
    const holds = this.#isPlainType(known.bool, [
      [known.boolFalse, type],
      [known.boolTrue, type],
    ]);
    if (holds) this.#booleans = { type, true: this.#constant(known.boolTrue), false: this.#constant(known.boolFalse) };
    return this.#booleans;
  }

  /**
   * Null if a constant that makes strings is absent or has another type. The first checked string literal fixes the
   * function that makes strings (`CheckOptions.stringMaker`). A constant declared later does not change it, and one
   * that would have been chosen can no longer be declared, so the order of declarations has no effect.
   */
  strings(): Strings | null {
    if (this.#strings !== null) return this.#strings;
    const { terms, environment } = this.#checker;
    const known = this.#known;
    const naturals = this.naturals();
    if (naturals === null || !this.#isList()) return null;
    const [type, char] = [this.#constant(known.string), this.#constant(known.char)];
    const maker = this.#checker.options.stringMaker ?? this.#chosenMaker();
    const ofZero = terms.levels.list([terms.levels.zero]);
    const [chars, nil, cons] = [known.list, known.listNil, known.listCons].map((name) =>
      terms.application(terms.constant(name, ofZero), char),
    ) as [Expr, Expr, Expr];
    const others: readonly (readonly [Name, Expr])[] = [
      [known.string, terms.sort(terms.levels.one)],
      [known.char, terms.sort(terms.levels.one)],
      [known.charOfNat, terms.forall(naturals.type, char)],
    ];
    if (!others.every(([name, its]) => this.#hasType(environment.find(name), its))) return null;
    const madeBy = environment.find(maker);
    // Lean's library has literals before the function that makes strings. Without that function it is unknown whether
    // there is such a string.
    if (madeBy === undefined)
      throw new Decline(`a string literal before ${terms.names.print(maker)}, which makes strings, is declared`);
    if (!this.#hasType(madeBy, terms.forall(chars, type))) return null;
    this.stringMaker = maker;
    const charOfNat = this.#constant(known.charOfNat);
    this.#strings = { type, char, charOfNat, nil, cons, maker: this.#constant(maker) };
    return this.#strings;
  }

  /** Returns the function that would have been preferred to the chosen one if it existed: `String.ofList`, or null. */
  reservedMaker(): Name | null {
    const known = this.#known;
    const constructors = this.#checker.environment.constructorsOf(known.string);
    return this.stringMaker === known.stringMk && !isMadeByConstructor(known, constructors) ? known.stringOfList : null;
  }

  #chosenMaker(): Name {
    const { environment } = this.#checker;
    const known = this.#known;
    const string = environment.find(known.string);
    if (string?.kind === 'inductive' && isMadeByConstructor(known, string.constructors)) return known.stringMk;
    const hasOlder = environment.has(known.stringMk) && !environment.has(known.stringOfList);
    return hasOlder ? known.stringMk : known.stringOfList;
  }

  /** Returns the value of a literal, or zero for `Nat.zero` if that is zero; otherwise null. */
  naturalValue(expr: Expr): bigint | null {
    const { terms } = this.#checker;
    const known = this.#known;
    if (terms.kind(expr) === NATURAL) return terms.naturalValue(expr);
    return isConstant(terms, expr, known.natZero) && this.naturals() !== null ? 0n : null;
  }

  /** Returns the argument of an application of the successor, or null. */
  successorArgument(expr: Expr): Expr | null {
    const { terms } = this.#checker;
    const known = this.#known;
    if (!terms.isApplication(expr) || !isConstant(terms, terms.fn(expr), known.natSucc)) return null;
    return this.naturals() === null ? null : terms.argument(expr);
  }

  isTrue(expr: Expr): boolean {
    const { terms } = this.#checker;
    const known = this.#known;
    return isConstant(terms, expr, known.boolTrue) && this.booleans() !== null;
  }

  /** Whether `Eq` is the inductive type whose only constructor is reflexivity. */
  isEquality(): boolean {
    const { terms, environment } = this.#checker;
    const known = this.#known;
    const equality = environment.find(known.eq);
    if (equality?.kind !== 'inductive' || equality.levelParams.length !== 1) return false;
    const level = terms.levels.parameter(equality.levelParams[0]!);
    const carrier = this.#checker.local(terms.sort(level));
    const prop = terms.sort(terms.levels.zero);
    const a = this.#checker.local(carrier);
    const constant = terms.constant(known.eq, terms.levels.list([level]));
    const type = this.#checker.forallOver([carrier], terms.forall(carrier, terms.forall(carrier, prop)));
    const reflexivity = this.#checker.forallOver([carrier, a], apply(terms, constant, [carrier, a, a]));
    return (
      equality.parameters === 2 &&
      equality.type === type &&
      this.hasConstructors(equality, [[known.eqRefl, reflexivity]])
    );
  }

  /** Whether an inductive type is alone in its block and has exactly these constructors, with these types. */
  hasConstructors(inductive: InductiveConstant, expected: readonly (readonly [Name, Expr])[]): boolean {
    const { environment } = this.#checker;
    return (
      inductive.block.length === 1 &&
      inductive.constructors.length === expected.length &&
      expected.every(([name, type], at) => {
        if (inductive.constructors[at] !== name) return false;
        const maker = environment.find(name);
        return (
          maker?.kind === 'constructor' &&
          maker.inductive === inductive.name &&
          maker.parameters === inductive.parameters &&
          maker.levelParams.length === inductive.levelParams.length &&
          maker.type === type
        );
      })
    );
  }

  /**
   * Whether a name is an inductive type in `Type` with exactly these constructors, without universe parameters,
   * parameters and indices.
   */
  #isPlainType(name: Name, constructors: readonly (readonly [Name, Expr])[]): boolean {
    const { terms, environment } = this.#checker;
    const inductive = environment.find(name);
    return (
      inductive?.kind === 'inductive' &&
      inductive.levelParams.length === 0 &&
      inductive.type === terms.sort(terms.levels.one) &&
      this.hasConstructors(inductive, constructors)
    );
  }

  /** Whether `List` is the inductive type of lists. */
  #isList(): boolean {
    const { terms, environment } = this.#checker;
    const known = this.#known;
    const { levels } = terms;
    const list = environment.find(known.list);
    if (list?.kind !== 'inductive' || list.levelParams.length !== 1) return false;
    const level: Level = levels.parameter(list.levelParams[0]!);
    const sort = terms.sort(levels.successor(level));
    const carrier = this.#checker.local(sort);
    const its = terms.application(terms.constant(known.list, levels.list([level])), carrier);
    return (
      list.parameters === 1 &&
      list.type === terms.forall(sort, sort) &&
      this.hasConstructors(list, [
        [known.listNil, this.#checker.forallOver([carrier], its)],
        [known.listCons, this.#checker.forallOver([carrier], terms.forall(carrier, terms.forall(its, its)))],
      ])
    );
  }

  #hasType(constant: Constant | undefined, type: Expr): boolean {
    if (constant === undefined || constant.levelParams.length > 0) return false;
    return constant.type === type || this.#checker.equality.isEqual(constant.type, type);
  }

  #constant(name: Name): Expr {
    return this.#checker.terms.constant(name, EMPTY_LEVELS);
  }
}
