/**
 * Substitution: bound variables by terms (`instantiate`), local variables by bound ones (`abstract`), level parameters
 * by levels, and chosen nodes by others. Subterms that cannot change are skipped, and a shared subterm is walked once.
 *
 * A term that replaces a bound variable has no loose bound variables: code opens binders before it looks at anything
 * below them. So nothing is ever shifted.
 */
import type { Budget } from './budget.ts';
import {
  APPLICATION,
  BOUND,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  LOCAL,
  PROJECTION,
  SORT,
  type Terms,
} from './expr.ts';
import type { Level } from './level.ts';
import { PairMemory } from './memory.ts';
import type { Name } from './name.ts';

export class Substitution {
  readonly #terms: Terms;
  readonly #budget: Budget;
  readonly #memory = new PairMemory();
  #values: readonly Expr[] = [];
  #from = 0;
  #to = 0;
  #locals: readonly Expr[] = [];
  #firstLocal = 0;
  #parameters: readonly Name[] = [];
  #levels: readonly Level[] = [];

  constructor(terms: Terms, budget: Budget) {
    this.#terms = terms;
    this.#budget = budget;
  }

  /** The body below `to - from` binders with their variables replaced, the outermost by `values[from]`. */
  instantiate(body: Expr, values: readonly Expr[], from = 0, to = values.length): Expr {
    if (this.#terms.looseBound(body) === 0 || from === to) return body;
    this.#values = values;
    this.#from = from;
    this.#to = to;
    this.#memory.clear();
    return this.#instantiated(body, 0);
  }

  /** The term below binders for these local variables, the outermost first. */
  abstract(term: Expr, locals: readonly Expr[]): Expr {
    if (locals.length === 0) return term;
    this.#locals = locals;
    this.#firstLocal = locals.reduce((least, local) => Math.min(least, this.#terms.number(local)), 0x7fffffff);
    this.#memory.clear();
    return this.#abstracted(term, 0);
  }

  instantiateLevels(term: Expr, parameters: readonly Name[], levels: readonly Level[]): Expr {
    if (parameters.length === 0 || !this.#terms.hasLevelParameter(term)) return term;
    this.#parameters = parameters;
    this.#levels = levels;
    this.#memory.clear();
    return this.#withLevels(term);
  }

  /** The term with every node that `replacement` knows (a result that is not null) replaced, outermost first. */
  replace(term: Expr, replacement: (expr: Expr) => Expr | null): Expr {
    const memory = new Map<Expr, Expr>();
    const walk = (expr: Expr): Expr => {
      const known = memory.get(expr);
      if (known !== undefined) return known;
      this.#budget.step();
      const result = replacement(expr) ?? this.#rebuilt(expr, walk);
      memory.set(expr, result);
      return result;
    };
    return walk(term);
  }

  #instantiated(expr: Expr, offset: number): Expr {
    const terms = this.#terms;
    if (terms.looseBound(expr) <= offset) return expr;
    const kind = terms.kind(expr);
    if (kind === BOUND) {
      const index = terms.number(expr) - offset;
      const count = this.#to - this.#from;
      return index < count ? this.#values[this.#to - 1 - index]! : terms.bound(terms.number(expr) - count);
    }
    const known = this.#memory.get(expr, offset);
    if (known >= 0) return known as Expr;
    this.#budget.step();
    let result: Expr;
    switch (kind) {
      case APPLICATION:
        result = terms.application(
          this.#instantiated(terms.fn(expr), offset),
          this.#instantiated(terms.argument(expr), offset),
        );
        break;
      case LAMBDA:
        result = terms.lambda(
          this.#instantiated(terms.binderType(expr), offset),
          this.#instantiated(terms.body(expr), offset + 1),
        );
        break;
      case FORALL:
        result = terms.forall(
          this.#instantiated(terms.binderType(expr), offset),
          this.#instantiated(terms.body(expr), offset + 1),
        );
        break;
      case LET:
        result = terms.let(
          this.#instantiated(terms.binderType(expr), offset),
          this.#instantiated(terms.letValue(expr), offset),
          this.#instantiated(terms.letBody(expr), offset + 1),
        );
        break;
      default:
        result = terms.projection(
          terms.name(expr),
          terms.fieldIndex(expr),
          this.#instantiated(terms.projected(expr), offset),
        );
    }
    this.#memory.set(expr, offset, result);
    return result;
  }

  #abstracted(expr: Expr, offset: number): Expr {
    const terms = this.#terms;
    if (terms.freeBound(expr) <= this.#firstLocal) return expr;
    const kind = terms.kind(expr);
    if (kind === LOCAL) {
      // Telescopes are mostly opened at once, so that numbers follow one another.
      const guess = terms.number(expr) - this.#firstLocal;
      const at = this.#locals[guess] === expr ? guess : this.#locals.lastIndexOf(expr);
      return at < 0 ? expr : terms.bound(offset + this.#locals.length - 1 - at);
    }
    const known = this.#memory.get(expr, offset);
    if (known >= 0) return known as Expr;
    this.#budget.step();
    let result: Expr;
    switch (kind) {
      case APPLICATION:
        result = terms.application(
          this.#abstracted(terms.fn(expr), offset),
          this.#abstracted(terms.argument(expr), offset),
        );
        break;
      case LAMBDA:
        result = terms.lambda(
          this.#abstracted(terms.binderType(expr), offset),
          this.#abstracted(terms.body(expr), offset + 1),
        );
        break;
      case FORALL:
        result = terms.forall(
          this.#abstracted(terms.binderType(expr), offset),
          this.#abstracted(terms.body(expr), offset + 1),
        );
        break;
      case LET:
        result = terms.let(
          this.#abstracted(terms.binderType(expr), offset),
          this.#abstracted(terms.letValue(expr), offset),
          this.#abstracted(terms.letBody(expr), offset + 1),
        );
        break;
      default:
        result = terms.projection(
          terms.name(expr),
          terms.fieldIndex(expr),
          this.#abstracted(terms.projected(expr), offset),
        );
    }
    this.#memory.set(expr, offset, result);
    return result;
  }

  #withLevels(expr: Expr): Expr {
    const terms = this.#terms;
    if (!terms.hasLevelParameter(expr)) return expr;
    const known = this.#memory.get(expr, 0);
    if (known >= 0) return known as Expr;
    this.#budget.step();
    const { levels } = terms;
    let result: Expr;
    switch (terms.kind(expr)) {
      case SORT:
        result = terms.sort(levels.instantiate(terms.level(expr), this.#parameters, this.#levels));
        break;
      case CONSTANT:
        result = terms.constant(
          terms.name(expr),
          levels.instantiateList(terms.levelList(expr), this.#parameters, this.#levels),
        );
        break;
      case APPLICATION:
        result = terms.application(this.#withLevels(terms.fn(expr)), this.#withLevels(terms.argument(expr)));
        break;
      default:
        result = this.#rebuilt(expr, (part) => this.#withLevels(part));
    }
    this.#memory.set(expr, 0, result);
    return result;
  }

  /** The same node over changed parts. */
  #rebuilt(expr: Expr, part: (expr: Expr) => Expr): Expr {
    const terms = this.#terms;
    switch (terms.kind(expr)) {
      case APPLICATION:
        return terms.application(part(terms.fn(expr)), part(terms.argument(expr)));
      case LAMBDA:
        return terms.lambda(part(terms.binderType(expr)), part(terms.body(expr)));
      case FORALL:
        return terms.forall(part(terms.binderType(expr)), part(terms.body(expr)));
      case LET:
        return terms.let(part(terms.binderType(expr)), part(terms.letValue(expr)), part(terms.letBody(expr)));
      case PROJECTION:
        return terms.projection(terms.name(expr), terms.fieldIndex(expr), part(terms.projected(expr)));
      default:
        return expr;
    }
  }
}
