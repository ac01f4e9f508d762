/**
 * The state that all parts of a check share: tables, environment, budget, local variables and one another. Inference,
 * reduction and equality need each other; each has a file of its own and finds the others here. One checker serves one
 * declaration.
 */
import { Budget, type Limits } from '../budget.ts';
import type { Environment } from '../environment.ts';
import type { Expr, Terms } from '../expr.ts';
import type { KnownNames } from '../known-names.ts';
import type { LevelOrder } from '../level-order.ts';
import { PairMemory } from '../memory.ts';
import type { Name } from '../name.ts';
import { Substitution } from '../substitution.ts';
import { Equality } from './equality.ts';
import { Inference } from './inference.ts';
import { Literals } from './literals.ts';
import { Naturals } from './naturals.ts';
import { RecursorReduction } from './recursor-reduction.ts';
import { Reduction } from './reduction.ts';

export interface CheckOptions {
  readonly limits: Limits;
  /** False: nothing is remembered between steps. The verdict is the same, the way there longer. */
  readonly remembers: boolean;
  /** Operations on natural numbers that may be computed on literals, by name. */
  readonly accelerated: ReadonlyMap<Name, string>;
}

export class Checker {
  readonly terms: Terms;
  readonly environment: Environment;
  readonly order: LevelOrder;
  readonly known: KnownNames;
  readonly options: CheckOptions;
  readonly budget: Budget;
  readonly substitution: Substitution;
  readonly inference: Inference;
  readonly reduction: Reduction;
  readonly recursors: RecursorReduction;
  readonly equality: Equality;
  readonly literals: Literals;
  readonly naturals: Naturals;
  /** Universe parameters of the declaration. */
  levelParams: readonly Name[] = [];
  readonly #localTypes: Expr[] = [];

  constructor(terms: Terms, environment: Environment, order: LevelOrder, known: KnownNames, options: CheckOptions) {
    this.terms = terms;
    this.environment = environment;
    this.order = order;
    this.known = known;
    this.options = options;
    this.budget = new Budget(options.limits);
    this.substitution = new Substitution(terms, this.budget);
    this.inference = new Inference(this);
    this.reduction = new Reduction(this);
    this.recursors = new RecursorReduction(this);
    this.equality = new Equality(this);
    this.literals = new Literals(this);
    this.naturals = new Naturals(this);
  }

  /** A new local variable of the type. */
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

  /** `∀ locals, body` with the locals' types as they are, or as `adapt` makes them. */
  forallOver(locals: readonly Expr[], body: Expr, adapt = (type: Expr): Expr => type): Expr {
    return this.#over(locals, body, adapt, true);
  }

  /** `fun locals => body` */
  lambdaOver(locals: readonly Expr[], body: Expr, adapt = (type: Expr): Expr => type): Expr {
    return this.#over(locals, body, adapt, false);
  }

  #over(locals: readonly Expr[], body: Expr, adapt: (type: Expr) => Expr, isForall: boolean): Expr {
    let result = this.substitution.abstract(body, locals);
    for (let at = locals.length - 1; at >= 0; at--) {
      const type = this.substitution.abstract(adapt(this.localType(locals[at]!)), locals.slice(0, at));
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
