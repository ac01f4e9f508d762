/**
 * Computes on literals with big integers instead of one successor at a time. Only operations with verified definitions
 * (`special/primitives.ts`) are computed, so this affects the time of an answer, but never the answer.
 */
import { type Expr, NATURAL } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import { OPERATIONS } from '../special/operations.ts';
import { headOf } from '../spine.ts';
import type { Checker } from './checker.ts';

const BITS_PER_STEP = 64;

export class Naturals {
  readonly #checker: Checker;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /**
   * Returns the value (a literal or truth value) of a closed application of an arithmetic operation to literals,
   * otherwise null.
   */
  reduce(expr: Expr): Expr | null {
    const { terms, options, special, reduction, budget } = this.#checker;
    if (terms.freeBound(expr) > 0 || !terms.isApplication(expr)) return null;
    const below = special.successorArgument(expr);
    if (below !== null) {
      const value = special.naturalValue(reduction.whnf(below));
      if (value === null) return null;
      budget.steps(Math.ceil(length(value) / BITS_PER_STEP));
      return terms.natural(value + 1n);
    }
    const name = reduction.headName(expr);
    if (name === -1) return null;
    const operation = options.accelerated.get(name);
    if (operation === undefined || terms.levelList(headOf(terms, expr)) !== EMPTY_LEVELS) return null;
    const first = terms.fn(expr);
    if (!terms.isApplication(first) || terms.isApplication(terms.fn(first))) return null;
    const left = special.naturalValue(reduction.whnf(terms.argument(first)));
    if (left === null) return null;
    const right = special.naturalValue(reduction.whnf(terms.argument(expr)));
    if (right === null) return null;
    const size = (length(left) + length(right)) / BITS_PER_STEP;
    // A multiplication or division takes up to one step for each pair of words.
    budget.steps(Math.ceil(size * size) + 1);
    const result = OPERATIONS[operation]!(left, right);
    if (result === null) return null;
    // The operation was verified with these truth values (`special/primitives.ts`).
    if (typeof result === 'boolean') return special.booleans()?.[`${result}`] ?? null;
    budget.steps(Math.ceil(length(result) / BITS_PER_STEP));
    return terms.natural(result);
  }

  /** Returns the predecessor of a literal other than zero, or the argument of a successor; otherwise null. */
  predecessor(expr: Expr): Expr | null {
    const { terms, literals, special } = this.#checker;
    return terms.kind(expr) === NATURAL ? literals.predecessor(expr) : special.successorArgument(expr);
  }
}

/** Returns an upper bound of the length in bits, a multiple of four. */
function length(value: bigint): number {
  return value < 0x1_0000_0000n ? 32 : value.toString(16).length * 4;
}
