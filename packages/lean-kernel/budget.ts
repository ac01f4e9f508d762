/**
 * Limits on the work of a check, which is declined beyond them. The budget counts steps, not time, so the same input
 * has the same result on every machine. It does not limit the nesting of calls: the threads of `run/` and `olean/` have
 * stacks that suffice for every term within these limits.
 */
import { Decline } from './verdict.ts';

export interface Limits {
  /** Maximum steps for one declaration: reductions, comparisons, inferences, and nodes visited by substitution. */
  readonly fuel: number;
  /**
   * Maximum expressions that a check may make in addition to those of the environment. Each takes about 60 bytes,
   * including cached results.
   */
  readonly nodes: number;
}

/**
 * Far above the needs of Lean's library (`npm run bench -- kernel` measures them). The fuel lasts a minute or two on
 * one core.
 */
export const DEFAULT_LIMITS: Limits = { fuel: 100_000_000, nodes: 8_000_000 };

export class Budget {
  readonly limits: Limits;
  spent = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  step(): void {
    if (++this.spent > this.limits.fuel) this.#exhausted();
  }

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
