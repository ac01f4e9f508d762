/**
 * Distribution matching (docs/algorithm.md, section 7): weights conjectures towards the unproved statements. In theory
 * every unproved statement sends its mass to its nearest conjecture (optimal transport with free weights). In practice
 * a greedy algorithm takes one statement after the other and skips a conjecture at its cap.
 */

export interface TransportCap {
  /** A conjecture with this weight receives no more. */
  readonly weightCap: number;
  /** Whether the cap applies at this weight (stp-code), or only above it (stp-paper). */
  readonly capInclusive: boolean;
}

/**
 * Returns the number of statements that a matching weight stands for: an integer, at least 1 (docs/algorithm.md,
 * section 12).
 */
export const matchingCount = (weight: number): number => Math.max(1, Math.round(weight));

/**
 * The capped greedy algorithm; it takes one statement's similarities at a time.
 *
 * A capped conjecture counts as similarity 0 and is not removed, as in STP's code: if every other similarity is
 * negative it still receives, so a weight can exceed the cap. Among equal similarities the earlier conjecture wins.
 */
export class Transport {
  readonly #hits: Float64Array;
  readonly #capped: Uint8Array;
  readonly #cap: TransportCap;
  readonly #mass: number;

  /**
   * @param conjectures N, at least 1
   * @param targets matching counts k of all statements that will come. The mass of one hit is N / Σ min(k, N): STP divides
   *   by Σ k, which is the same while no k exceeds N and leaves part of the mass behind where one does
   */
  constructor(conjectures: number, targets: Iterable<number>, cap: TransportCap) {
    this.#hits = new Float64Array(conjectures);
    this.#capped = new Uint8Array(conjectures);
    this.#cap = cap;
    let total = 0;
    for (const count of targets) total += Math.min(count, conjectures);
    this.#mass = total;
  }

  /**
   * Processes one statement with matching count k: its min(k, N) nearest conjectures receive. `similarities` has N
   * cosines.
   */
  receive(similarities: Float32Array, count: number): void {
    for (const index of this.#nearest(similarities, Math.min(count, this.#hits.length))) {
      this.#hits[index]!++;
      // Compares hits, not sums of N/M: forty times 0.1 must be 4.
      const weight = this.#hits[index]! * this.#hits.length;
      const bound = this.#cap.weightCap * this.#mass;
      if (this.#cap.capInclusive ? weight >= bound : weight > bound) this.#capped[index] = 1;
    }
  }

  /** Returns the weight of every conjecture; the weights sum to N once all statements were processed. */
  weights(): Float64Array {
    return this.#hits.map((hits) => (hits * this.#hits.length) / this.#mass);
  }

  /**
   * Returns the indices of similarities that decide who receives, if more than `count` could when similarities are
   * exact only up to `tolerance`. With exact values at these indices, `receive` gives the same result as with all
   * exact. A capped conjecture's similarity is exactly 0.
   */
  undecided(similarities: Float32Array, count: number, tolerance: number): number[] {
    if (count >= this.#hits.length) return [];
    let worst = Number.POSITIVE_INFINITY;
    for (const index of this.#nearest(similarities, count)) worst = Math.min(worst, this.#masked(similarities, index));
    // A similarity that is lower by more than both errors loses for certain.
    const bound = worst - 2 * tolerance;
    const close: number[] = [];
    for (let index = 0; index < this.#hits.length; index++)
      if (this.#masked(similarities, index) >= bound) close.push(index);
    return close.length > count ? close.filter((index) => this.#capped[index] === 0) : [];
  }

  #masked(similarities: Float32Array, index: number): number {
    return this.#capped[index] === 1 ? 0 : similarities[index]!;
  }

  #nearest(similarities: Float32Array, count: number): number[] {
    if (count === this.#hits.length) return Array.from(this.#hits.keys());
    // A heap of the best so far with the worst on top; nearly every conjecture loses against it at once.
    const best: { index: number; value: number }[] = [];
    for (let index = 0; index < this.#hits.length; index++) {
      const value = this.#masked(similarities, index);
      if (best.length < count) {
        best.push({ index, value });
        if (best.length === count) for (let at = count >> 1; at >= 0; at--) sink(best, at);
      } else if (value > best[0]!.value) {
        best[0] = { index, value };
        sink(best, 0);
      }
    }
    return best.map(({ index }) => index);
  }
}

interface Found {
  readonly index: number;
  readonly value: number;
}

/** Restores the heap: the top is the smallest value, among equal values the latest. */
function sink(heap: Found[], from: number): void {
  const isWorse = (a: Found, b: Found): boolean => a.value < b.value || (a.value === b.value && a.index > b.index);
  for (let parent = from; ; ) {
    let worst = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2])
      if (child < heap.length && isWorse(heap[child]!, heap[worst]!)) worst = child;
    if (worst === parent) return;
    [heap[parent], heap[worst]] = [heap[worst]!, heap[parent]!];
    parent = worst;
  }
}
