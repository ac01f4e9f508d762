/**
 * Seeded randomness. Every random choice comes from a stream named by (run seed, round, shard, index …). The same names
 * give the same choices, independent of other work and its order.
 */
import { createHash, hash } from 'node:crypto';

export interface Random {
  /** Returns a uniform number in [0, 1), with 32 random bits. */
  next(): number;
  /** Returns a uniform integer in [0, bound). */
  below(bound: number): number;
  /** Returns a new array in random order (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

/** Returns a stream for this list of parts: xoshiro128** (Blackman and Vigna 2018) seeded with SHA-256. */
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

/** Returns a 31-bit seed named by its parts, for engines that take a number. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32LE(0) >>> 1;
}

/** Hex digits of an order key: 80 bits, so a collision among 10¹⁰ items is unlikely. */
const ORDER_DIGITS = 20;

/**
 * Returns a key for a random order that does not depend on how items were found. Sorting items by the key of (seed,
 * purpose, item) shuffles them, so shards and files may be read in any order.
 */
export function orderKey(...parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, ORDER_DIGITS);
}
