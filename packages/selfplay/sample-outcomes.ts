/**
 * The outcomes of one statement's samples by index: one bit for "present" and one for "proved". A statement with 25,600
 * samples takes 6.4 kB, so memory can hold the outcomes of millions of samples, but never their texts.
 */

export class SampleOutcomes {
  #proved = new Uint8Array(4);
  #present = new Uint8Array(4);

  /**
   * Records sample `index`. If an index comes twice, one success suffices (docs/algorithm.md, section 10). Returns
   * whether the index is new.
   */
  add(index: number, isProved: boolean): boolean {
    const byte = index >> 3;
    const bit = 1 << (index & 7);
    if (byte >= this.#present.length) this.#grow(byte + 1);
    const isNew = (this.#present[byte]! & bit) === 0;
    this.#present[byte]! |= bit;
    if (isProved) this.#proved[byte]! |= bit;
    return isNew;
  }

  /** Returns the number of successes among the samples [from, to). */
  successes(from: number, to: number): number {
    return countBits(this.#proved, from, to);
  }

  /** Returns the number of recorded samples in [from, to). */
  recorded(from: number, to: number): number {
    return countBits(this.#present, from, to);
  }

  get bytes(): number {
    return this.#present.length + this.#proved.length;
  }

  #grow(least: number): void {
    const size = Math.max(least, this.#present.length * 2);
    const larger = (bits: Uint8Array): Uint8Array<ArrayBuffer> => {
      const copy = new Uint8Array(size);
      copy.set(bits);
      return copy;
    };
    this.#proved = larger(this.#proved);
    this.#present = larger(this.#present);
  }
}

/** Counts ones among the bits [from, to); bits past the end are zero. */
function countBits(bits: Uint8Array, from: number, to: number): number {
  const end = Math.min(to, bits.length * 8);
  let count = 0;
  let at = from;
  while (at < end) {
    const byte = bits[at >> 3]!;
    const isWhole = (at & 7) === 0 && at + 8 <= end;
    if (isWhole) {
      for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
      at += 8;
    } else {
      if ((byte >> (at & 7)) & 1) count++;
      at++;
    }
  }
  return count;
}
