/**
 * Infers the type of an expression. `check` also verifies every rule; every declaration is checked with it. `infer`
 * assumes that the expression was checked, and examines only the parts that determine the type.
 */
import {
  APPLICATION,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  LOCAL,
  NATURAL,
  PROJECTION,
  SORT,
  STRING,
} from '../expr.ts';
import { EMPTY_LEVELS, LEVEL_IMPREDICATIVE_MAXIMUM, type Level } from '../level.ts';
import { headOf } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import type { Checker } from './checker.ts';
import { describe } from './describe.ts';
import { projectionType } from './projection-type.ts';

const INFERRED = 0;
const CHECKED = 1;
/** Height of a level from which comparing it first is worthwhile. */
const COMPARED_HEIGHT = 20;

export class Inference {
  readonly #checker: Checker;
  readonly #types;
  readonly #constantTypes;

  constructor(checker: Checker) {
    this.#checker = checker;
    this.#types = checker.memory();
    this.#constantTypes = checker.memory();
  }

  /** Returns the type of an expression that is known to be well typed. */
  infer(expr: Expr): Expr {
    return this.#type(expr, false);
  }

  /** Returns the type and verifies every rule. */
  check(expr: Expr): Expr {
    return this.#type(expr, true);
  }

  /** Returns the universe of a type: the level of the sort that is its type. */
  universeOf(type: Expr): Level {
    return this.requireSort(this.infer(type), type);
  }

  /** Checks an expression that must be a type. */
  checkType(type: Expr): Level {
    return this.requireSort(this.check(type), type);
  }

  /**
   * Whether the type is a proposition: its universe is zero for all values of the level parameters. Rejects an
   * expression that is not shown to be a type. A sort that does not reduce must not count as "not a proposition": rules
   * that separate proofs from data would then allow data to be taken from a proof.
   */
  isProposition(type: Expr): boolean {
    return this.#checker.order.isAlwaysZero(this.universeOf(type));
  }

  requireSort(type: Expr, expr: Expr): Level {
    const { terms, reduction } = this.#checker;
    const sort = terms.kind(type) === SORT ? type : reduction.whnf(type);
    if (terms.kind(sort) !== SORT) throw new Rejection('sort', `${describe(this.#checker, expr)} is not a type`);
    return terms.level(sort);
  }

  #type(expr: Expr, isChecked: boolean): Expr {
    const { terms, budget } = this.#checker;
    const kind = terms.kind(expr);
    switch (kind) {
      case LOCAL:
        return this.#checker.localType(expr);
      case SORT:
        if (isChecked) this.#requireLevel(terms.level(expr));
        return terms.sort(terms.levels.successor(terms.level(expr)));
      case CONSTANT:
        return this.#constantType(expr, isChecked);
      case NATURAL:
        return this.#checker.literals.naturalType();
      case STRING:
        return this.#checker.literals.stringType();
    }
    const known = this.#types.get(expr, CHECKED);
    if (known >= 0) return known as Expr;
    if (!isChecked) {
      const inferred = this.#types.get(expr, INFERRED);
      if (inferred >= 0) return inferred as Expr;
    }
    budget.step();
    const type = this.#compute(kind, expr, isChecked);
    this.#types.set(expr, isChecked ? CHECKED : INFERRED, type);
    return type;
  }

  #compute(kind: number, expr: Expr, isChecked: boolean): Expr {
    switch (kind) {
      case APPLICATION:
        return this.#applicationType(expr, isChecked);
      case LAMBDA:
        return this.#lambdaType(expr, isChecked);
      case FORALL:
        return this.#forallType(expr, isChecked);
      case LET:
        return this.#letType(expr, isChecked);
      case PROJECTION:
        return projectionType(this.#checker, expr, this.#type(this.#checker.terms.projected(expr), isChecked));
      default:
        throw new Rejection('closed', 'a bound variable without a binder');
    }
  }

  #constantType(expr: Expr, isChecked: boolean): Expr {
    const { terms, environment, substitution } = this.#checker;
    const { levels } = terms;
    const list = terms.levelList(expr);
    const known = this.#constantTypes.get(expr, CHECKED);
    if (known >= 0) return known as Expr;
    if (isChecked) for (let at = list; at !== EMPTY_LEVELS; at = levels.tail(at)) this.#requireLevel(levels.head(at));
    else {
      const inferred = this.#constantTypes.get(expr, INFERRED);
      if (inferred >= 0) return inferred as Expr;
    }
    const constant = environment.get(terms.name(expr));
    const count = levels.length(list);
    if (count !== constant.levelParams.length)
      throw new Rejection(
        'constant',
        `${terms.names.print(constant.name)} has ${constant.levelParams.length} universe parameters, not ${count}`,
      );
    const type = substitution.instantiateLevels(constant.type, constant.levelParams, levels.array(list));
    this.#constantTypes.set(expr, isChecked ? CHECKED : INFERRED, type);
    return type;
  }

  #requireLevel(level: Level): void {
    const { terms } = this.#checker;
    const foreign = this.#checker.foreignParameter(level);
    if (foreign !== null)
      throw new Rejection('level', `${terms.names.print(foreign)} is no universe parameter of the declaration`);
  }

  #applicationType(expr: Expr, isChecked: boolean): Expr {
    const { terms, substitution, reduction, equality } = this.#checker;
    const given = this.#checker.argumentsOf(expr);
    let fnType = this.#type(headOf(terms, expr), isChecked);
    /** Arguments from this index on are not yet substituted into `fnType`. */
    let pending = 0;
    for (let at = 0; at < given.length; at++) {
      if (terms.kind(fnType) !== FORALL) {
        fnType = reduction.whnf(substitution.instantiate(fnType, given, pending, at));
        pending = at;
        if (terms.kind(fnType) !== FORALL)
          throw new Rejection('application', `${describe(this.#checker, expr)}: too many arguments`);
      }
      if (isChecked) {
        const argument = given[at]!;
        const expected = substitution.instantiate(terms.binderType(fnType), given, pending, at);
        const actual = this.#type(argument, true);
        if (!equality.isEqual(actual, expected))
          throw new Rejection(
            'application',
            `${describe(this.#checker, expr)}: argument ${at + 1} has type ${describe(this.#checker, actual)}, not ${describe(this.#checker, expected)}`,
          );
      }
      fnType = terms.body(fnType);
    }
    return substitution.instantiate(fnType, given, pending);
  }

  #lambdaType(expr: Expr, isChecked: boolean): Expr {
    const { terms, substitution, budget } = this.#checker;
    const locals: Expr[] = [];
    const domains: Expr[] = [];
    let body = expr;
    for (; terms.kind(body) === LAMBDA; body = terms.body(body)) {
      const domain = substitution.instantiate(terms.binderType(body), locals);
      if (isChecked) this.requireSort(this.#type(domain, true), domain);
      budget.step();
      domains.push(terms.binderType(body));
      locals.push(this.#checker.local(domain));
    }
    const bodyType = this.#type(substitution.instantiate(body, locals), isChecked);
    let type = substitution.abstract(bodyType, locals);
    for (let at = domains.length - 1; at >= 0; at--) type = terms.forall(domains[at]!, type);
    return type;
  }

  #forallType(expr: Expr, isChecked: boolean): Expr {
    const { terms, substitution, budget } = this.#checker;
    const locals: Expr[] = [];
    const universes: Level[] = [];
    let body = expr;
    for (; terms.kind(body) === FORALL; body = terms.body(body)) {
      const domain = substitution.instantiate(terms.binderType(body), locals);
      budget.step();
      universes.push(this.requireSort(this.#type(domain, isChecked), domain));
      locals.push(this.#checker.local(domain));
    }
    body = substitution.instantiate(body, locals);
    let level = this.requireSort(this.#type(body, isChecked), body);
    for (let at = universes.length - 1; at >= 0; at--) level = this.#universeOfForall(universes[at]!, level);
    return terms.sort(level);
  }

  /**
   * Returns the impredicative maximum, omitting operands that obviously add nothing, so that a long telescope does not
   * make a deep level.
   */
  #universeOfForall(domain: Level, body: Level): Level {
    const { terms, order } = this.#checker;
    const { levels } = terms;
    if (body === levels.zero || domain === levels.zero || domain === body) return body;
    if (levels.kind(body) === LEVEL_IMPREDICATIVE_MAXIMUM && levels.left(body) === domain) return body;
    if (levels.height(body) > COMPARED_HEIGHT && order.isAtMost(domain, body)) return body;
    return levels.impredicativeMaximum(domain, body);
  }

  #letType(expr: Expr, isChecked: boolean): Expr {
    const { terms, substitution, equality } = this.#checker;
    const values: Expr[] = [];
    let body = expr;
    for (; terms.kind(body) === LET; body = terms.letBody(body)) {
      const value = substitution.instantiate(terms.letValue(body), values);
      if (isChecked) {
        const type = substitution.instantiate(terms.binderType(body), values);
        this.requireSort(this.#type(type, true), type);
        const actual = this.#type(value, true);
        if (!equality.isEqual(actual, type))
          throw new Rejection(
            'let',
            `a value of type ${describe(this.#checker, actual)} is bound as ${describe(this.#checker, type)}`,
          );
      }
      values.push(value);
    }
    return this.#type(substitution.instantiate(body, values), isChecked);
  }
}
