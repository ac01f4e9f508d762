/**
 * Definitional equality of two well-typed expressions. First applies quick tests. Then reduces both sides without
 * unfolding definitions, treats two proofs of the same proposition as equal, unfolds definitions step by step, the
 * higher one first (`lazy-unfolding.ts`), and finally compares heads and arguments and tries eta (`eta.ts`).
 *
 * It caches the verdict of each ordered pair, but nothing derived from several verdicts. Equality as decided here is
 * not always symmetric or transitive (a proof may hide what reduction needs), so a verdict on `a = c` combined from `a
 * = b` and `b = c` would depend on earlier comparisons.
 */
import { CONSTANT, type Expr, FORALL, LAMBDA, LOCAL, NATURAL, PROJECTION, SORT, STRING } from '../expr.ts';
import { headOf } from '../spine.ts';
import type { Checker } from './checker.ts';
import { etaEqual, structureEtaEqual, unitLikeEqual } from './eta.ts';
import { unfoldTogether } from './lazy-unfolding.ts';

export class Equality {
  readonly #checker: Checker;
  /** 1 for equal, 0 for unequal, by ordered pair. */
  readonly #verdicts;
  /** Pairs of applications of the same definition whose arguments differ. They may still be equal after unfolding. */
  readonly #argumentFailures;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#verdicts = checker.memory();
    this.#argumentFailures = checker.memory();
  }

  isEqual(left: Expr, right: Expr): boolean {
    if (left === right) return true;
    const known = this.#verdicts.get(left, right);
    if (known >= 0) return known === 1;
    this.#checker.budget.step();
    const isEqual = this.#decide(left, right);
    this.#verdicts.set(left, right, isEqual ? 1 : 0);
    return isEqual;
  }

  /**
   * Whether two applications of the same definition have equal arguments. Returns false at once for a pair that failed
   * before.
   */
  areArgumentsEqualOnce(left: Expr, right: Expr): boolean {
    const { terms, order } = this.#checker;
    if (this.#argumentFailures.get(left, right) === 1) return false;
    if (
      order.areEqual(terms.levelList(headOf(terms, left)), terms.levelList(headOf(terms, right))) &&
      this.#areAllEqual(this.#checker.argumentsOf(left), this.#checker.argumentsOf(right))
    )
      return true;
    this.#argumentFailures.set(left, right, 1);
    return false;
  }

  /** Decides without reduction: true, false, or null if that does not suffice. */
  look(left: Expr, right: Expr): boolean | null {
    if (left === right) return true;
    const { terms, order } = this.#checker;
    const kind = terms.kind(left);
    if (kind !== terms.kind(right)) return null;
    switch (kind) {
      case LAMBDA:
      case FORALL:
        return this.#binders(left, right, kind);
      case SORT:
        return order.isEqual(terms.level(left), terms.level(right));
      case NATURAL:
      case STRING:
        return false;
      case CONSTANT:
        return this.#sameConstant(left, right) ? true : null;
      default:
        return null;
    }
  }

  /** Compares heads and arguments one by one. */
  #areApplicationsEqual(left: Expr, right: Expr): boolean {
    const { terms } = this.#checker;
    const [some, others] = [this.#checker.argumentsOf(left), this.#checker.argumentsOf(right)];
    if (some.length === 0 || some.length !== others.length) return false;
    return this.isEqual(headOf(terms, left), headOf(terms, right)) && this.#areAllEqual(some, others);
  }

  #areAllEqual(some: readonly Expr[], others: readonly Expr[]): boolean {
    return some.length === others.length && some.every((argument, at) => this.isEqual(argument, others[at]!));
  }

  #decide(left: Expr, right: Expr): boolean {
    const { terms, reduction, special, inference } = this.#checker;
    const seen = this.look(left, right);
    if (seen !== null) return seen;
    // Proofs by `decide`: `p = true` with a closed `p` is evaluated completely.
    if (terms.freeBound(left) === 0 && special.isTrue(right) && reduction.whnf(left) === right) return true;
    const a = reduction.whnfCore(left, true);
    const b = reduction.whnfCore(right, true);
    if (a !== left || b !== right) {
      const now = this.look(a, b);
      if (now !== null) return now;
    }
    const type = inference.infer(a);
    if (inference.isProposition(type)) return this.isEqual(type, inference.infer(b));
    const unfolded = unfoldTogether(this.#checker, a, b);
    return typeof unfolded === 'boolean' ? unfolded : this.#decideStuck(unfolded.left, unfolded.right);
  }

  /** Decides the equality of sides without a definition at their heads. */
  #decideStuck(left: Expr, right: Expr): boolean {
    const { terms, reduction, literals } = this.#checker;
    const kind = terms.kind(left);
    if (kind === terms.kind(right)) {
      if (kind === CONSTANT && this.#sameConstant(left, right)) return true;
      if (kind === LOCAL && left === right) return true;
      if (
        kind === PROJECTION &&
        terms.name(left) === terms.name(right) &&
        terms.fieldIndex(left) === terms.fieldIndex(right) &&
        this.isEqual(terms.projected(left), terms.projected(right))
      )
        return true;
    }
    // The first reduction did not unfold definitions below projections.
    const a = reduction.whnfCore(left);
    const b = reduction.whnfCore(right);
    if (a !== left || b !== right) return this.isEqual(a, b);
    if (this.#areApplicationsEqual(left, right)) return true;
    if (etaEqual(this.#checker, left, right) || structureEtaEqual(this.#checker, left, right)) return true;
    if (kind === STRING && literals.isMadeString(right)) return this.isEqual(literals.stringAsApplication(left), right);
    if (terms.kind(right) === STRING && literals.isMadeString(left))
      return this.isEqual(left, literals.stringAsApplication(right));
    return unitLikeEqual(this.#checker, left, right);
  }

  #sameConstant(left: Expr, right: Expr): boolean {
    const { terms, order } = this.#checker;
    return terms.name(left) === terms.name(right) && order.areEqual(terms.levelList(left), terms.levelList(right));
  }

  #binders(left: Expr, right: Expr, kind: number): boolean {
    const { terms, substitution } = this.#checker;
    const locals: Expr[] = [];
    let [a, b] = [left, right];
    while (terms.kind(a) === kind && terms.kind(b) === kind) {
      const domain = substitution.instantiate(terms.binderType(b), locals);
      if (
        terms.binderType(a) !== terms.binderType(b) &&
        !this.isEqual(substitution.instantiate(terms.binderType(a), locals), domain)
      )
        return false;
      locals.push(this.#checker.local(domain));
      a = terms.body(a);
      b = terms.body(b);
      if (a === b) return true;
    }
    return this.isEqual(substitution.instantiate(a, locals), substitution.instantiate(b, locals));
  }
}
