/**
 * Reduces to weak head normal form. `whnfCore` does the reductions that need no definition: beta, let, projections of
 * constructors, recursors, quotients. `whnf` also computes with numbers and unfolds definitions.
 */
import type { DefinitionConstant } from '../environment.ts';
import { APPLICATION, CONSTANT, type Expr, LAMBDA, LET, PROJECTION, STRING } from '../expr.ts';
import type { Name } from '../name.ts';
import { apply, headOf } from '../spine.ts';
import type { Checker } from './checker.ts';

const FULL = 0;
/** Projected values were reduced without unfolding definitions. */
const CHEAP = 1;
const WITH_DEFINITIONS = 2;

export class Reduction {
  readonly #checker: Checker;
  readonly #results;
  readonly #values;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#results = checker.memory();
    this.#values = checker.memory();
  }

  /** Returns the name of the constant at an application's head, or -1. */
  headName(expr: Expr): Name | -1 {
    const { terms } = this.#checker;
    const head = headOf(terms, expr);
    return terms.kind(head) === CONSTANT ? terms.name(head) : -1;
  }

  whnf(expr: Expr): Expr {
    if (!this.#mayReduce(expr, true)) return expr;
    const known = this.#results.get(expr, WITH_DEFINITIONS);
    if (known >= 0) return known as Expr;
    const { budget, naturals } = this.#checker;
    budget.step();
    let result = expr;
    for (;;) {
      budget.step();
      result = this.whnfCore(result);
      const literal = naturals.reduce(result);
      if (literal !== null) {
        result = literal;
        break;
      }
      const unfolded = this.unfold(result);
      if (unfolded === null) break;
      result = unfolded;
    }
    this.#results.set(expr, WITH_DEFINITIONS, result);
    return result;
  }

  /** With `isCheap`, the projected value of a projection is not unfolded to find a constructor. */
  whnfCore(expr: Expr, isCheap = false): Expr {
    if (!this.#mayReduce(expr, false)) return expr;
    const mode = isCheap ? CHEAP : FULL;
    const known = this.#results.get(expr, mode);
    if (known >= 0) return known as Expr;
    const { budget } = this.#checker;
    budget.step();
    let result = expr;
    for (;;) {
      budget.step();
      const next = this.#stepCore(result, isCheap);
      if (next === null) break;
      result = next;
    }
    this.#results.set(expr, mode, result);
    return result;
  }

  /** Returns the definition named by an application's head, if it may be unfolded. */
  definition(expr: Expr): DefinitionConstant | null {
    const name = this.headName(expr);
    if (name === -1) return null;
    const constant = this.#checker.environment.find(name);
    return constant?.kind === 'definition' || constant?.kind === 'theorem' ? constant : null;
  }

  /** Returns the expression with the definition at its head unfolded, or null. */
  unfold(expr: Expr): Expr | null {
    const definition = this.definition(expr);
    if (definition === null) return null;
    const { terms, substitution, environment } = this.#checker;
    const head = headOf(terms, expr);
    const { levels } = terms;
    let value = this.#values.get(head, 0) as Expr | -1;
    if (value === -1) {
      const list = terms.levelList(head);
      if (levels.length(list) !== definition.levelParams.length) return null;
      value = substitution.instantiateLevels(
        environment.valueOf(definition),
        definition.levelParams,
        levels.array(list),
      );
      this.#values.set(head, 0, value);
    }
    return head === expr ? value : apply(terms, value, this.#checker.argumentsOf(expr));
  }

  /** Does one step of `whnfCore` at the head; null if no step applies. */
  #stepCore(expr: Expr, isCheap: boolean): Expr | null {
    const { terms, substitution, recursors } = this.#checker;
    switch (terms.kind(expr)) {
      case LET:
        return substitution.instantiate(terms.letBody(expr), [terms.letValue(expr)]);
      case PROJECTION:
        return this.#project(expr, isCheap);
      case APPLICATION: {
        const head = headOf(terms, expr);
        switch (terms.kind(head)) {
          case LAMBDA:
            return this.#beta(head, this.#checker.argumentsOf(expr));
          case LET:
          case PROJECTION: {
            const reduced = this.whnfCore(head, isCheap);
            return reduced === head ? null : apply(terms, reduced, this.#checker.argumentsOf(expr));
          }
          case CONSTANT:
            return recursors.reduce(expr, head);
        }
      }
    }
    return null;
  }

  #beta(fn: Expr, given: readonly Expr[]): Expr {
    const { terms, substitution } = this.#checker;
    let body = fn;
    let count = 0;
    for (; count < given.length && terms.kind(body) === LAMBDA; count++) body = terms.body(body);
    return apply(terms, substitution.instantiate(body, given, 0, count), given, count);
  }

  /** Returns the field if the projected value is an application of the structure's constructor. */
  #project(expr: Expr, isCheap: boolean): Expr | null {
    const { terms, environment, literals } = this.#checker;
    const projected = terms.projected(expr);
    let value = isCheap ? this.whnfCore(projected, true) : this.whnf(projected);
    if (terms.kind(value) === STRING) {
      const made = literals.stringAsApplication(value);
      value = isCheap ? this.whnfCore(made, true) : this.whnf(made);
    }
    const name = this.headName(value);
    const maker = name === -1 ? undefined : environment.find(name);
    if (maker?.kind !== 'constructor' || maker.inductive !== terms.name(expr)) return null;
    return this.#checker.argumentsOf(value)[maker.parameters + terms.fieldIndex(expr)] ?? null;
  }

  #mayReduce(expr: Expr, withDefinitions: boolean): boolean {
    switch (this.#checker.terms.kind(expr)) {
      case APPLICATION:
      case LET:
      case PROJECTION:
        return true;
      case CONSTANT:
        return withDefinitions;
      default:
        return false;
    }
  }
}
