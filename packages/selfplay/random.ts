/**
 * Seeded randomness. Every random choice comes from a stream named by (run seed, round, shard, index …): the same names
 * give the same choices, independent of the order of work and of earlier work.
 */
import { createHash, hash } from 'node:crypto';

export interface Random {
  /** Uniform in [0, 1), 32 bits of it random. */
  next(): number;
  /** Uniform whole number in [0, bound). */
  below(bound: number): number;
  /** A new array in random order (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

/** A stream of its own for every list of parts: xoshiro128** (Blackman and Vigna 2018) seeded with SHA-256. */
export function randomStream(...parts: readonly (string | number)[]): Random {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12) | 1;
  const rotate = (value: number, by: number): number => ((value << by) | (value >>> (32 - by))) >>> 0;
  const next = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5) >>> 0, 7), 9) >>> 0;
    const shifted = (b << 9) >>> 0;
    c = (c ^ a) >>> 0;
    d = (d ^ b) >>> 0;
    b = (b ^ c) >>> 0;
    a = (a ^ d) >>> 0;
    c = (c ^ shifted) >>> 0;
    d = rotate(d, 11);
    return result / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    shuffle<T>(items: readonly T[]): T[] {
      const result = [...items];
      for (let i = result.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [result[i], result[j]] = [result[j]!, result[i]!];
      }
      return result;
    },
  };
}

/** A 31-bit seed named by its parts, for engines that take a number. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32LE(0) >>> 1;
}

/** Hex digits of an order key: 80 bits, so that among 10¹⁰ things two alike are not to be expected. */
const ORDER_DIGITS = 20;

/**
 * A key that puts things into a random order which is the same however they were found: things sorted by the key of
 * (seed, purpose, what each one is) are shuffled, and neither shards nor files need be read in a fixed order.
 */
export function orderKey(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, ORDER_DIGITS);
}
