/**
 * Substitution: replaces bound variables by terms (`instantiate`), local variables by bound ones (`abstract`), level
 * parameters by levels, and chosen nodes by others. Subterms that cannot change are skipped, and a shared subterm is
 * traversed once.
 *
 * A term that replaces a bound variable has no loose bound variables, because code opens binders before it inspects
 * anything below them. So indices never have to be shifted.
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
import {
  EMPTY_LEVELS,
  LEVEL_IMPREDICATIVE_MAXIMUM,
  LEVEL_PARAMETER,
  LEVEL_SUCCESSOR,
  type Level,
  type LevelList,
} from './level.ts';
import { PairMemory } from './memory.ts';
import type { Name } from './name.ts';

/** Number of local variables whose search costs one step, as a power of two. */
const LOCALS_BITS = 5;
/** Kinds of entries in the cache of levels. */
const LEVELS = 0;
const LISTS = 1;

export class Substitution {
  readonly #terms: Terms;
  readonly #budget: Budget;
  readonly #memory = new PairMemory();
  /** Cache of levels, and lists of levels, after the substitution of `instantiateLevels`. */
  readonly #levelMemory = new PairMemory();
  #values: readonly Expr[] = [];
  #from = 0;
  #to = 0;
  #locals: readonly Expr[] = [];
  #localCount = 0;
  #firstLocal = 0;
  #levels: ReadonlyMap<Name, Level> = new Map();

  constructor(terms: Terms, budget: Budget) {
    this.#terms = terms;
    this.#budget = budget;
  }

  /**
   * Returns the body below `to - from` binders with their variables replaced; `values[from]` replaces the outermost.
   */
  instantiate(body: Expr, values: readonly Expr[], from = 0, to = values.length): Expr {
    if (this.#terms.looseBound(body) === 0 || from === to) return body;
    this.#values = values;
    this.#from = from;
    this.#to = to;
    this.#memory.clear();
    return this.#instantiated(body, 0);
  }

  /**
   * Returns the term with the first `count` local variables replaced by bound variables, the first of them outermost.
   */
  abstract(term: Expr, locals: readonly Expr[], count = locals.length): Expr {
    if (count === 0 || this.#terms.freeBound(term) === 0) return term;
    this.#budget.steps(count >> LOCALS_BITS);
    this.#locals = locals;
    this.#localCount = count;
    this.#firstLocal = 0x7fffffff;
    for (let at = 0; at < count; at++) this.#firstLocal = Math.min(this.#firstLocal, this.#terms.number(locals[at]!));
    this.#memory.clear();
    return this.#abstracted(term, 0);
  }

  instantiateLevels(term: Expr, parameters: readonly Name[], levels: readonly Level[]): Expr {
    if (parameters.length === 0 || !this.#terms.hasLevelParameter(term)) return term;
    this.#levels = new Map(parameters.map((name, at) => [name, levels[at]!]));
    this.#memory.clear();
    this.#levelMemory.clear();
    return this.#withLevels(term);
  }

  /** Returns the term with every node replaced for which `replacement` returns a term; outer nodes take precedence. */
  replace(term: Expr, replacement: (expr: Expr) => Expr | null): Expr {
    const memory = new Map<Expr, Expr>();
    const walk = (expr: Expr): Expr => {
      const known = memory.get(expr);
      if (known !== undefined) return known;
      this.#budget.step();
      const result = replacement(expr) ?? this.#rebuilt(expr, 0, walk);
      memory.set(expr, result);
      return result;
    };
    return walk(term);
  }

  readonly #instantiated = (expr: Expr, offset: number): Expr => {
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
    const result = this.#rebuilt(expr, offset, this.#instantiated);
    this.#memory.set(expr, offset, result);
    return result;
  };

  readonly #abstracted = (expr: Expr, offset: number): Expr => {
    const terms = this.#terms;
    if (terms.freeBound(expr) <= this.#firstLocal) return expr;
    const kind = terms.kind(expr);
    if (kind === LOCAL) {
      // Telescopes are usually opened at once, so the numbers of their variables are consecutive.
      let at = terms.number(expr) - this.#firstLocal;
      if (at >= this.#localCount || this.#locals[at] !== expr) {
        this.#budget.steps(this.#localCount >> LOCALS_BITS);
        at = this.#locals.lastIndexOf(expr, this.#localCount - 1);
      }
      return at < 0 ? expr : terms.bound(offset + this.#localCount - 1 - at);
    }
    const known = this.#memory.get(expr, offset);
    if (known >= 0) return known as Expr;
    this.#budget.step();
    const result = this.#rebuilt(expr, offset, this.#abstracted);
    this.#memory.set(expr, offset, result);
    return result;
  };

  readonly #withLevels = (expr: Expr): Expr => {
    const terms = this.#terms;
    if (!terms.hasLevelParameter(expr)) return expr;
    const known = this.#memory.get(expr, 0);
    if (known >= 0) return known as Expr;
    this.#budget.step();
    let result: Expr;
    switch (terms.kind(expr)) {
      case SORT:
        result = terms.sort(this.#level(terms.level(expr)));
        break;
      case CONSTANT:
        result = terms.constant(terms.name(expr), this.#levelList(terms.levelList(expr)));
        break;
      default:
        result = this.#rebuilt(expr, 0, this.#withLevels);
    }
    this.#memory.set(expr, 0, result);
    return result;
  };

  #level(level: Level): Level {
    const { levels } = this.#terms;
    if (!levels.hasParameter(level)) return level;
    const kind = levels.kind(level);
    if (kind === LEVEL_PARAMETER) return this.#levels.get(levels.name(level)) ?? level;
    const known = this.#levelMemory.get(level, LEVELS);
    if (known >= 0) return known as Level;
    this.#budget.step();
    const left = this.#level(levels.left(level));
    let result: Level;
    if (kind === LEVEL_SUCCESSOR) result = levels.successor(left);
    else {
      const right = this.#level(levels.right(level));
      result =
        kind === LEVEL_IMPREDICATIVE_MAXIMUM ? levels.impredicativeMaximum(left, right) : levels.maximum(left, right);
    }
    this.#levelMemory.set(level, LEVELS, result);
    return result;
  }

  #levelList(list: LevelList): LevelList {
    if (list === EMPTY_LEVELS) return list;
    const known = this.#levelMemory.get(list, LISTS);
    if (known >= 0) return known as LevelList;
    const { levels } = this.#terms;
    const result = levels.list(levels.array(list).map((level) => this.#level(level)));
    this.#levelMemory.set(list, LISTS, result);
    return result;
  }

  /** Returns the same node with changed operands. `offset` counts the binders around the node. */
  #rebuilt(expr: Expr, offset: number, changed: (expr: Expr, offset: number) => Expr): Expr {
    const terms = this.#terms;
    switch (terms.kind(expr)) {
      case APPLICATION:
        return terms.application(changed(terms.fn(expr), offset), changed(terms.argument(expr), offset));
      case LAMBDA:
        return terms.lambda(changed(terms.binderType(expr), offset), changed(terms.body(expr), offset + 1));
      case FORALL:
        return terms.forall(changed(terms.binderType(expr), offset), changed(terms.body(expr), offset + 1));
      case LET:
        return terms.let(
          changed(terms.binderType(expr), offset),
          changed(terms.letValue(expr), offset),
          changed(terms.letBody(expr), offset + 1),
        );
      case PROJECTION:
        return terms.projection(terms.name(expr), terms.fieldIndex(expr), changed(terms.projected(expr), offset));
      default:
        return expr;
    }
  }
}
