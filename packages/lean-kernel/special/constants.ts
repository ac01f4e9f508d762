/**
 * Facts about the constants that the kernel treats specially, taken from their checked declarations: kind, universe parameters,
 * type, constructors, place in the block. Where a fact does not hold, the constant is an ordinary one, or what needs the fact is
 * rejected. No rule of the kernel compares a name by itself.
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

/** `Nat`, the inductive type of zero and successor. */
export interface Naturals {
  readonly type: Expr;
  readonly zero: Expr;
  readonly successor: Expr;
}

/** `Bool`, the inductive type of two values. */
export interface Booleans {
  readonly type: Expr;
  readonly true: Expr;
  readonly false: Expr;
}

/** The constants that make strings, with the types they must have. */
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
  /** The constant that makes strings, where this check met one. */
  stringMaker: Name | null = null;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#known = knownNames(checker.terms.names);
  }

  /** Null where `Nat` is absent or something else. Asked again after a no: in its own block it comes to be there. */
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
   * Null where a constant that makes strings is absent or has another type. Which constant makes them is decided when the first
   * literal is checked, and then stays (`CheckOptions.stringMaker`): a constant that is declared later changes no meaning, and one
   * that would have been chosen can no longer be declared, so that the order of declarations decides nothing.
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
    // Lean's library has literals before the function that makes strings. Without it nobody knows that there is such a string.
    if (madeBy === undefined)
      throw new Decline(`a string literal before ${terms.names.print(maker)}, which makes strings, is declared`);
    if (!this.#hasType(madeBy, terms.forall(chars, type))) return null;
    this.stringMaker = maker;
    const charOfNat = this.#constant(known.charOfNat);
    this.#strings = { type, char, charOfNat, nil, cons, maker: this.#constant(maker) };
    return this.#strings;
  }

  /** The maker that would have come before the chosen one had it been there: `String.ofList`, or null. */
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

  /** The value of a literal, or zero for `Nat.zero` where that is zero; else null. */
  naturalValue(expr: Expr): bigint | null {
    const { terms } = this.#checker;
    const known = this.#known;
    if (terms.kind(expr) === NATURAL) return terms.naturalValue(expr);
    return isConstant(terms, expr, known.natZero) && this.naturals() !== null ? 0n : null;
  }

  /** Returns the argument of the successor of natural numbers, or null where the expression is something else. */
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

  /** Whether an inductive type stands alone in its block and has these constructors and no other, with these types. */
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

  /** An inductive type in `Type` without universe parameters, parameters and indices, with these constructors. */
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

  /** `List`, the inductive type of lists. */
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
