/**
 * Operations on numbers with big integers. `primitives.ts` decides, by the declarations of their names, which ones are
 * used.
 */

/** Maximum bits of a computed number: Lean's own limit for exponents. Beyond it definitions are unfolded. */
const BITS_MAX = 1n << 24n;
type Operation = (left: bigint, right: bigint) => bigint | boolean | null;

/** A result of null means: not computed. */
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
  // Used only if a trusted library has them without definitions (`kernel.ts`); otherwise they are unfolded.
  'Nat.gcd': greatestCommonDivisor,
  'Nat.land': (a, b) => a & b,
  'Nat.lor': (a, b) => a | b,
  'Nat.xor': (a, b) => a ^ b,
  'Nat.pow': (a, b) => (a <= 1n && b > 0n ? a : b * bits(a) > BITS_MAX ? null : a ** b),
};

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function bits(value: bigint): bigint {
  if (value === 0n) return 0n;
  const digits = value.toString(16);
  return BigInt((digits.length - 1) * 4 + Number.parseInt(digits[0]!, 16).toString(2).length);
}
