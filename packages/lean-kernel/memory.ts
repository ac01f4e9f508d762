/**
 * A map from pairs of numbers to numbers in one typed array, for the caches of a single check. It is cleared in
 * constant time, because each entry stores the generation in which it was made.
 */
import { randomBytes } from 'node:crypto';

const SLOT = 4;
const FIRST_SLOTS = 1 << 8;
/** If there are more slots than this, `clear` frees the memory. */
const KEPT_SLOTS = 1 << 17;

/** Returns random odd 32-bit multipliers for hashing, so that keys cannot be chosen to collide. */
export function randomOdd(count: number): number[] {
  return Array.from({ length: count }, () => randomBytes(4).readInt32LE() | 1);
}

/** Random for each process; no result depends on them. */
const [FIRST, SECOND] = randomOdd(2) as [number, number];

export class PairMemory {
  #slots = new Int32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  #generation = 1;
  #size = 0;

  /** Returns the value, or -1. */
  get(first: number, second: number): number {
    const slots = this.#slots;
    for (let at = this.#start(first, second); ; at = (at + 1) & this.#mask) {
      const slot = at * SLOT;
      if (slots[slot + 3] !== this.#generation) return -1;
      if (slots[slot] === first && slots[slot + 1] === second) return slots[slot + 2]!;
    }
  }

  /** `value` must not be negative. */
  set(first: number, second: number, value: number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    const slots = this.#slots;
    for (let at = this.#start(first, second); ; at = (at + 1) & this.#mask) {
      const slot = at * SLOT;
      if (slots[slot + 3] !== this.#generation) {
        slots[slot] = first;
        slots[slot + 1] = second;
        slots[slot + 2] = value;
        slots[slot + 3] = this.#generation;
        this.#size++;
        return;
      }
      if (slots[slot] === first && slots[slot + 1] === second) {
        slots[slot + 2] = value;
        return;
      }
    }
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#size = 0;
    this.#generation++;
    if (this.#mask >= KEPT_SLOTS || this.#generation === 0x7fffffff) this.#reset(FIRST_SLOTS);
  }

  #start(first: number, second: number): number {
    const hash = Math.imul(first, FIRST) ^ Math.imul(second + 1, SECOND);
    return (hash ^ (hash >>> 15)) & this.#mask;
  }

  #reset(slots: number): void {
    this.#slots = new Int32Array(slots * SLOT);
    this.#mask = slots - 1;
    this.#generation = 1;
  }

  #grow(): void {
    const before = this.#slots;
    const generation = this.#generation;
    this.#reset((this.#mask + 1) * 2);
    this.#size = 0;
    for (let slot = 0; slot < before.length; slot += SLOT)
      if (before[slot + 3] === generation) this.set(before[slot]!, before[slot + 1]!, before[slot + 2]!);
  }
}
