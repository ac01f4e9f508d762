/**
 * The state that all parts of a check share: tables, environment, budget, local variables, and each other. Inference,
 * reduction and equality are mutually dependent; each has its own file and finds the others here. A checker serves one
 * declaration.
 */
import { Budget, type Limits } from '../budget.ts';
import type { Environment } from '../environment.ts';
import type { Expr, Terms } from '../expr.ts';
import { LEVEL_PARAMETER, LEVEL_SUCCESSOR, type Level } from '../level.ts';
import { LevelOrder } from '../level-order.ts';
import { PairMemory } from '../memory.ts';
import type { Name } from '../name.ts';
import { SpecialConstants } from '../special/constants.ts';
import { argumentsOf } from '../spine.ts';
import { Substitution } from '../substitution.ts';
import { Equality } from './equality.ts';
import { Inference } from './inference.ts';
import { Literals } from './literals.ts';
import { Naturals } from './naturals.ts';
import { RecursorReduction } from './recursor-reduction.ts';
import { Reduction } from './reduction.ts';

/** Number of arguments whose traversal costs one step, as a power of two. */
const SPINE_BITS = 4;

export interface CheckOptions {
  readonly limits: Limits;
  /** False disables the caches. The verdict is the same, but takes longer. */
  readonly remembers: boolean;
  /** Operations on natural numbers that may be computed on literals, by name. */
  readonly accelerated: ReadonlyMap<Name, string>;
  /** The function that makes strings, once a declaration with a string literal was accepted. */
  readonly stringMaker: Name | null;
}

export class Checker {
  readonly terms: Terms;
  readonly environment: Environment;
  readonly order: LevelOrder;
  readonly options: CheckOptions;
  readonly budget: Budget;
  readonly substitution: Substitution;
  readonly inference: Inference;
  readonly reduction: Reduction;
  readonly recursors: RecursorReduction;
  readonly equality: Equality;
  readonly literals: Literals;
  readonly naturals: Naturals;
  readonly special: SpecialConstants;
  #levelParams: ReadonlySet<Name> = new Set();
  /** Levels whose parameters all belong to the declaration. */
  readonly #ownLevels = new PairMemory();
  readonly #localTypes: Expr[] = [];

  constructor(terms: Terms, environment: Environment, options: CheckOptions, budget = new Budget(options.limits)) {
    this.terms = terms;
    this.environment = environment;
    this.options = options;
    this.budget = budget;
    this.order = new LevelOrder(terms.levels, budget);
    this.substitution = new Substitution(terms, this.budget);
    this.inference = new Inference(this);
    this.reduction = new Reduction(this);
    this.recursors = new RecursorReduction(this);
    this.equality = new Equality(this);
    this.literals = new Literals(this);
    this.naturals = new Naturals(this);
    this.special = new SpecialConstants(this);
  }

  /** Returns a checker with empty caches, for an environment that has changed. Both use the same budget. */
  anew(): Checker {
    return new Checker(this.terms, this.environment, this.options, this.budget);
  }

  /** Sets the universe parameters of the declaration. */
  set levelParams(names: readonly Name[]) {
    this.#levelParams = new Set(names);
    this.#ownLevels.clear();
  }

  /** Returns a parameter of the level that does not belong to the declaration, or null. */
  foreignParameter(level: Level): Name | null {
    const { levels } = this.terms;
    if (!levels.hasParameter(level)) return null;
    const kind = levels.kind(level);
    if (kind === LEVEL_PARAMETER) return this.#levelParams.has(levels.name(level)) ? null : levels.name(level);
    if (this.#ownLevels.get(level, 0) === 1) return null;
    this.budget.step();
    const foreign =
      this.foreignParameter(levels.left(level)) ??
      (kind === LEVEL_SUCCESSOR ? null : this.foreignParameter(levels.right(level)));
    if (foreign === null) this.#ownLevels.set(level, 0, 1);
    return foreign;
  }

  /** Returns a new local variable of this type. */
  local(type: Expr): Expr {
    this.#localTypes.push(type);
    return this.terms.local(this.#localTypes.length - 1);
  }

  localType(local: Expr): Expr {
    return this.#localTypes[this.terms.number(local)]!;
  }

  memory(): PairMemory {
    return this.options.remembers ? new PairMemory() : new Forgetful();
  }

  /** Returns the arguments of an application. Many arguments count as several steps. */
  argumentsOf(expr: Expr): Expr[] {
    const given = argumentsOf(this.terms, expr);
    this.budget.steps(given.length >> SPINE_BITS);
    return given;
  }

  /** Returns `∀ locals, body`. */
  forallOver(locals: readonly Expr[], body: Expr, adapt = (type: Expr): Expr => type): Expr {
    return this.#over(locals, body, adapt, true);
  }

  /** Returns `fun locals => body`. */
  lambdaOver(locals: readonly Expr[], body: Expr, adapt = (type: Expr): Expr => type): Expr {
    return this.#over(locals, body, adapt, false);
  }

  /** `adapt` changes the types of the locals. */
  #over(locals: readonly Expr[], body: Expr, adapt: (type: Expr) => Expr, isForall: boolean): Expr {
    let result = this.substitution.abstract(body, locals);
    for (let at = locals.length - 1; at >= 0; at--) {
      const type = this.substitution.abstract(adapt(this.localType(locals[at]!)), locals, at);
      result = isForall ? this.terms.forall(type, result) : this.terms.lambda(type, result);
    }
    return result;
  }
}

class Forgetful extends PairMemory {
  override get(): number {
    return -1;
  }

  override set(): void {}
}
