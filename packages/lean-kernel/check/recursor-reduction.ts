/**
 * Reduces recursors and quotients. A recursor applied to a constructor reduces to the constructor's minor premise. Its
 * major premise may also be a literal, a value of a structure (which equals the constructor applied to its
 * projections), or, for a K-like type, any proof whose type is that of the only constructor. `Quot.lift` and `Quot.ind`
 * reduce on `Quot.mk`.
 */
import { type RecursorConstant, structureConstructor } from '../environment.ts';
import { CONSTANT, type Expr, NATURAL, STRING } from '../expr.ts';
import { apply, headOf } from '../spine.ts';
import type { Checker } from './checker.ts';

/** Argument indices: `major` is that of `Quot.mk r a`, `taker` that of the function applied to `a`. */
const LIFT = { major: 5, taker: 3 };
const INDUCTION = { major: 4, taker: 3 };
/** Number of arguments of `Quot.mk {α} (r) (a)`. */
const MK_ARGUMENTS = 3;

export class RecursorReduction {
  readonly #checker: Checker;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** Reduces an application whose head is this constant by one step, or returns null. */
  reduce(expr: Expr, head: Expr): Expr | null {
    const { terms, environment } = this.#checker;
    const constant = environment.find(terms.name(head));
    if (constant?.kind === 'recursor') return this.#recursor(constant, expr, head);
    if (constant?.kind !== 'quotient') return null;
    if (constant.role === 'lift') return this.#quotient(expr, LIFT);
    return constant.role === 'ind' ? this.#quotient(expr, INDUCTION) : null;
  }

  #recursor(recursor: RecursorConstant, expr: Expr, head: Expr): Expr | null {
    const { terms, substitution, budget } = this.#checker;
    const given = this.#checker.argumentsOf(expr);
    const firstIndex = recursor.parameters + recursor.motives + recursor.minors;
    const majorAt = firstIndex + recursor.indices;
    if (given.length <= majorAt) return null;
    const levels = terms.levels.array(terms.levelList(head));
    if (levels.length !== recursor.levelParams.length) return null;
    budget.steps(levels.length >> 3);
    const major = this.#constructorForm(recursor, given[majorAt]!);
    const name = this.#checker.reduction.headName(major);
    const rule = recursor.rules.find((candidate) => candidate.constructor === name);
    if (rule === undefined) return null;
    const fields = this.#checker.argumentsOf(major);
    if (fields.length < rule.fields) return null;
    const value = substitution.instantiateLevels(rule.value, recursor.levelParams, levels);
    let result = apply(terms, value, given, 0, firstIndex);
    result = apply(terms, result, fields, fields.length - rule.fields);
    return apply(terms, result, given, majorAt + 1);
  }

  /** Returns the major premise as an application of a constructor, if it equals one. */
  #constructorForm(recursor: RecursorConstant, given: Expr): Expr {
    const { terms, reduction, literals } = this.#checker;
    if (recursor.k) {
      const maker = this.#kLike(recursor, given);
      if (maker !== null) return maker;
    }
    const major = reduction.whnf(given);
    switch (terms.kind(major)) {
      case NATURAL:
        return literals.naturalAsConstructor(major);
      case STRING:
        return reduction.whnf(literals.stringAsApplication(major));
      default:
        return this.#structureForm(recursor, major);
    }
  }

  /** Returns the only constructor at the parameters of the major premise's type, if its type equals that type. */
  #kLike(recursor: RecursorConstant, major: Expr): Expr | null {
    const { terms, environment, inference, reduction, equality } = this.#checker;
    const type = reduction.whnf(inference.infer(major));
    if (reduction.headName(type) !== recursor.inductive) return null;
    const inductive = environment.find(recursor.inductive);
    if (inductive?.kind !== 'inductive') return null;
    const maker = terms.constant(inductive.constructors[0]!, terms.levelList(headOf(terms, type)));
    const applied = apply(terms, maker, this.#checker.argumentsOf(type), 0, inductive.parameters);
    return equality.isEqual(type, inference.infer(applied)) ? applied : null;
  }

  #structureForm(recursor: RecursorConstant, major: Expr): Expr {
    const { terms, environment, inference, reduction } = this.#checker;
    const maker = structureConstructor(environment, recursor.inductive);
    if (maker === null || reduction.headName(major) === maker.name) return major;
    const type = reduction.whnf(inference.infer(major));
    const head = headOf(terms, type);
    if (terms.kind(head) !== CONSTANT || terms.name(head) !== recursor.inductive) return major;
    // Data cannot be projected from a proof. Proof irrelevance does for proofs what this rule does for data.
    if (inference.isProposition(type)) return major;
    let form = terms.constant(maker.name, terms.levelList(head));
    form = apply(terms, form, this.#checker.argumentsOf(type), 0, maker.parameters);
    for (let field = 0; field < maker.fields; field++)
      form = terms.application(form, terms.projection(recursor.inductive, field, major));
    return form;
  }

  #quotient(expr: Expr, { major, taker }: { major: number; taker: number }): Expr | null {
    const { terms, environment, reduction } = this.#checker;
    const given = this.#checker.argumentsOf(expr);
    if (given.length <= major) return null;
    const quotient = reduction.whnf(given[major]!);
    const name = reduction.headName(quotient);
    const maker = name === -1 ? undefined : environment.find(name);
    if (maker?.kind !== 'quotient' || maker.role !== 'ctor') return null;
    const made = this.#checker.argumentsOf(quotient);
    if (made.length !== MK_ARGUMENTS) return null;
    return apply(terms, terms.application(given[taker]!, made[2]!), given, major + 1);
  }
}
