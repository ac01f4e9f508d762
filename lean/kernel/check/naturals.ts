/**
 * Arithmetic on literals with big integers instead of a successor at a time. Only operations whose definitions were verified
 * (`primitives.ts`) are computed, so this changes how long an answer takes and never the answer.
 */
import { type Expr, NATURAL } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import { argumentCount, headOf } from '../spine.ts';
import type { Checker } from './checker.ts';

/** Bits of the largest number that is computed: Lean's own bound for exponents. Beyond it definitions unfold. */
const BITS_MAX = 1n << 24n;
/** Bits a step stands for. */
const BITS_PER_STEP = 64;

type Operation = (left: bigint, right: bigint) => bigint | boolean | null;

/** Null: not computed. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'Nat.add': (a, b) => a + b,
  'Nat.sub': (a, b) => (a > b ? a - b : 0n),
  'Nat.mul': (a, b) => a * b,
  'Nat.div': (a, b) => (b === 0n ? 0n : a / b),
  'Nat.mod': (a, b) => (b === 0n ? a : a % b),
  'Nat.beq': (a, b) => a === b,
  'Nat.ble': (a, b) => a <= b,
  'Nat.shiftLeft': (a, b) => (a === 0n ? 0n : b + bits(a) > BITS_MAX ? null : a << b),
  'Nat.shiftRight': (a, b) => (b > bits(a) ? 0n : a >> b),
  // Only where a trusted library has them without their definitions (`kernel.ts`); else they unfold.
  'Nat.gcd': greatestCommonDivisor,
  'Nat.land': (a, b) => a & b,
  'Nat.lor': (a, b) => a | b,
  'Nat.xor': (a, b) => a ^ b,
  'Nat.pow': (a, b) => (a <= 1n && b > 0n ? a : b * bits(a) > BITS_MAX ? null : a ** b),
};

export class Naturals {
  readonly #checker: Checker;

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  /** The value, a literal or truth value, of a closed application of an arithmetic operation to literals, else null. */
  reduce(expr: Expr): Expr | null {
    const { terms, known, options, literals, reduction, budget } = this.#checker;
    if (terms.freeBound(expr) > 0) return null;
    const name = reduction.headName(expr);
    if (name === -1 || terms.levelList(headOf(terms, expr)) !== EMPTY_LEVELS) return null;
    const count = argumentCount(terms, expr);
    if (count === 1 && name === known.natSucc) {
      const value = literals.naturalValue(reduction.whnf(terms.argument(expr)));
      return value === null ? null : terms.natural(value + 1n);
    }
    const operation = count === 2 ? options.accelerated.get(name) : undefined;
    if (operation === undefined) return null;
    const left = literals.naturalValue(reduction.whnf(terms.argument(terms.fn(expr))));
    if (left === null) return null;
    const right = literals.naturalValue(reduction.whnf(terms.argument(expr)));
    if (right === null) return null;
    const size = (length(left) + length(right)) / BITS_PER_STEP;
    // A multiplication or division takes up to a step for each pair of words.
    budget.steps(Math.ceil(size * size) + 1);
    const result = OPERATIONS[operation]!(left, right);
    if (result === null) return null;
    if (typeof result === 'boolean') return terms.constant(result ? known.boolTrue : known.boolFalse, EMPTY_LEVELS);
    budget.steps(Math.ceil(length(result) / BITS_PER_STEP));
    return terms.natural(result);
  }

  /** The predecessor of a literal that is not zero, or what `Nat.succ` is applied to; else null. */
  predecessor(expr: Expr): Expr | null {
    const { terms, known, reduction } = this.#checker;
    if (terms.kind(expr) === NATURAL) {
      const value = terms.naturalValue(expr);
      return value > 0n ? terms.natural(value - 1n) : null;
    }
    return reduction.headName(expr) === known.natSucc && argumentCount(terms, expr) === 1 ? terms.argument(expr) : null;
  }
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Upper bound of the length in bits, four bits exact. */
function length(value: bigint): number {
  return value < 0x1_0000_0000n ? 32 : value.toString(16).length * 4;
}

function bits(value: bigint): bigint {
  if (value === 0n) return 0n;
  const digits = value.toString(16);
  return BigInt((digits.length - 1) * 4 + Number.parseInt(digits[0]!, 16).toString(2).length);
}
