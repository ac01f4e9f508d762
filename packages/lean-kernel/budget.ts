/**
 * Limits on the work of a check; beyond them it is declined. The budget counts steps, not time, so the same input has
 * the same result on every machine. It does not limit how deeply calls are nested: the threads of `run/` and `olean/`
 * have stacks that suffice for every term within these limits.
 */
import { Decline } from './verdict.ts';

export interface Limits {
  /** Steps for one declaration: reductions, comparisons, inferences and nodes walked by substitution. */
  readonly fuel: number;
  /** Expressions one check may make beside those of the environment; about 60 bytes each with what is remembered of them. */
  readonly nodes: number;
}

/**
 * Far above what was measured: of a part of Lean's `Init` (3,653 constants) the costliest declaration takes 90,000 steps
 * and 32,000 expressions (`npm run bench -- kernel`). The fuel is a minute or two on one core.
 */
export const DEFAULT_LIMITS: Limits = { fuel: 100_000_000, nodes: 8_000_000 };

export class Budget {
  readonly limits: Limits;
  spent = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Counts one step. */
  step(): void {
    if (++this.spent > this.limits.fuel) this.#exhausted();
  }

  /** Counts several steps at once. */
  steps(count: number): void {
    this.spent += count;
    if (this.spent > this.limits.fuel) this.#exhausted();
  }

  restart(): void {
    this.spent = 0;
  }

  #exhausted(): never {
    throw new Decline(`not decided within ${this.limits.fuel} steps`);
  }
}
