/**
 * Derives the recursors of a block from its constructors. Each type C has a motive. Each constructor has a minor
 * premise that gives the motive's value from the fields and, for each recursive field, from the value already computed
 * for it. The rule for a constructor applies its minor premise and computes these values by recursion.
 */
import type { Checker } from '../check/checker.ts';
import { describe } from '../check/describe.ts';
import type { RecursorRule } from '../declaration.ts';
import type { RecursorConstant } from '../environment.ts';
import { type Expr, FORALL } from '../expr.ts';
import type { Name } from '../name.ts';
import { apply, argumentsOf } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import { appliedType, type CheckedBlock, type CheckedType } from './block.ts';
import { type Elimination, elimination } from './elimination.ts';

/** How to state the recursors of a block with auxiliary types without these. For other blocks nothing changes. */
export interface Restoration {
  readonly recursorName: (type: number) => Name;
  readonly constructorName: (name: Name) => Name;
  /** The type whose values the recursor eliminates. */
  readonly inductiveName: (type: number) => Name;
  readonly term: (term: Expr) => Expr;
}

interface Motive {
  readonly motive: Expr;
  readonly indices: readonly Expr[];
  readonly major: Expr;
}

interface OpenedConstructor {
  readonly name: Name;
  readonly fields: readonly Expr[];
  readonly recursive: readonly Expr[];
  /** The constructor's type below its binders. */
  readonly result: Expr;
  readonly minor: Expr;
}

export function deriveRecursors(checker: Checker, block: CheckedBlock, restoration: Restoration): RecursorConstant[] {
  return new Derivation(checker, block, restoration).recursors();
}

class Derivation {
  readonly #checker: Checker;
  readonly #block: CheckedBlock;
  readonly #restoration: Restoration;
  readonly #elimination: Elimination;
  readonly #motives: readonly Motive[];
  /** Constructors by type. */
  readonly #constructors: readonly (readonly OpenedConstructor[])[];

  constructor(checker: Checker, block: CheckedBlock, restoration: Restoration) {
    this.#checker = checker;
    this.#block = block;
    this.#restoration = restoration;
    this.#elimination = elimination(checker, block);
    this.#motives = block.types.map((type) => this.#openMotive(type));
    this.#constructors = block.types.map((type) =>
      type.constructors.map((maker) => this.#openConstructor(maker.name, maker.type)),
    );
  }

  recursors(): RecursorConstant[] {
    const { terms } = this.#checker;
    const motives = this.#motives.map((opened) => opened.motive);
    const minors = this.#constructors.flat().map((maker) => maker.minor);
    const outer = [...this.#block.parameters, ...motives, ...minors];
    const restored = this.#restoration.term;
    return this.#block.types.map((type, at) => {
      const { motive, indices, major } = this.#motives[at]!;
      const result = terms.application(apply(terms, motive, indices), major);
      return {
        kind: 'recursor',
        name: this.#restoration.recursorName(at),
        levelParams: this.#elimination.levelParams,
        type: this.#checker.forallOver([...outer, ...indices, major], restored(result), restored),
        parameters: this.#block.parameters.length,
        indices: type.indices,
        motives: motives.length,
        minors: minors.length,
        rules: this.#constructors[at]!.map((maker) => this.#rule(maker, outer)),
        k: this.#elimination.isKLike,
        inductive: this.#restoration.inductiveName(at),
      };
    });
  }

  /** Makes the motive's type, `∀ indices, C params indices → Sort l`. */
  #openMotive(type: CheckedType): Motive {
    const { terms, substitution } = this.#checker;
    const indices: Expr[] = [];
    let rest = type.type;
    for (let at = 0; terms.kind(rest) === FORALL; at++) {
      let local = this.#block.parameters[at];
      if (local === undefined) {
        local = this.#checker.local(terms.binderType(rest));
        indices.push(local);
      }
      rest = substitution.instantiate(terms.body(rest), [local]);
    }
    const major = this.#checker.local(apply(terms, apply(terms, type.constant, this.#block.parameters), indices));
    const motiveType = this.#checker.forallOver([...indices, major], terms.sort(this.#elimination.level));
    return { motive: this.#checker.local(motiveType), indices, major };
  }

  #openConstructor(name: Name, type: Expr): OpenedConstructor {
    const { terms, substitution } = this.#checker;
    const fields: Expr[] = [];
    const recursive: Expr[] = [];
    let rest = type;
    for (let at = 0; terms.kind(rest) === FORALL; at++) {
      let local = this.#block.parameters[at];
      if (local === undefined) {
        const domain = terms.binderType(rest);
        local = this.#checker.local(domain);
        fields.push(local);
        if (this.#recursiveType(domain) >= 0) recursive.push(local);
      }
      rest = substitution.instantiate(terms.body(rest), [local]);
    }
    const made = apply(terms, apply(terms, terms.constant(name, this.#block.levels), this.#block.parameters), fields);
    const hypotheses = recursive.map((field) =>
      this.#checker.local(
        this.#overArguments(field, (arguments_, result) =>
          this.#checker.forallOver(arguments_, this.#motiveAt(result, apply(terms, field, arguments_))),
        ),
      ),
    );
    const minorType = this.#checker.forallOver([...fields, ...hypotheses], this.#motiveAt(rest, made));
    return { name, fields, recursive, result: rest, minor: this.#checker.local(minorType) };
  }

  /** Makes `fun params motives minors fields => minor fields (the values for recursive fields)`. */
  #rule(maker: OpenedConstructor, outer: readonly Expr[]): RecursorRule {
    const { terms } = this.#checker;
    const restored = this.#restoration.term;
    const levels = terms.levels.list(this.#elimination.levelParams.map((name) => terms.levels.parameter(name)));
    const values = maker.recursive.map((field) =>
      this.#overArguments(field, (arguments_, result) => {
        const at = this.#indexOf(result);
        const recursor = terms.constant(this.#restoration.recursorName(at), levels);
        const indices = argumentsOf(terms, result).slice(this.#block.parameters.length);
        const value = terms.application(
          apply(terms, apply(terms, recursor, outer), indices),
          apply(terms, field, arguments_),
        );
        return this.#checker.lambdaOver(arguments_, value);
      }),
    );
    const body = apply(terms, apply(terms, maker.minor, maker.fields), values);
    return {
      constructor: this.#restoration.constructorName(maker.name),
      fields: maker.fields.length,
      value: this.#checker.lambdaOver([...outer, ...maker.fields], restored(body), restored),
    };
  }

  /** Returns the motive of the type of which `result` is an application, applied to its indices and a value. */
  #motiveAt(result: Expr, value: Expr): Expr {
    const { terms } = this.#checker;
    const at = this.#indexOf(result);
    const indices = argumentsOf(terms, result).slice(this.#block.parameters.length);
    return terms.application(apply(terms, this.#motives[at]!.motive, indices), value);
  }

  /**
   * Returns the index of the block's type of which this is an application. The constructors were checked to have no
   * other results.
   */
  #indexOf(result: Expr): number {
    const at = appliedType(this.#checker, this.#block, result);
    if (at < 0) throw new Rejection('recursor', `${describe(this.#checker, result)} is no type of the block`);
    return at;
  }

  /** Makes new variables for the arguments of a recursive field, and the field's result for them. */
  #overArguments(field: Expr, make: (arguments_: readonly Expr[], result: Expr) => Expr): Expr {
    const { terms, reduction, substitution } = this.#checker;
    const taken: Expr[] = [];
    let rest = reduction.whnf(this.#checker.localType(field));
    for (; terms.kind(rest) === FORALL; rest = reduction.whnf(rest)) {
      const local = this.#checker.local(terms.binderType(rest));
      taken.push(local);
      rest = substitution.instantiate(terms.body(rest), [local]);
    }
    return make(taken, rest);
  }

  /** Returns the index of the block's type that is the result of a field's type, or -1. */
  #recursiveType(type: Expr): number {
    const { terms, reduction, substitution } = this.#checker;
    let rest = reduction.whnf(type);
    for (; terms.kind(rest) === FORALL; rest = reduction.whnf(rest))
      rest = substitution.instantiate(terms.body(rest), [this.#checker.local(terms.binderType(rest))]);
    return appliedType(this.#checker, this.#block, rest);
  }
}
