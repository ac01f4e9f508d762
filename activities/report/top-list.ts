/** Keeps the best few of many items. Memory is proportional to the list, not to the run. */

export class TopList<T> {
  readonly #entries = new Map<string, T>();
  readonly #max: number;
  readonly #compare: (a: T, b: T) => number;

  /**
   * @param compare negative if `a` comes before `b`; it must distinguish any two entries, so that the order of arrival
   * does not matter
   */
  constructor(max: number, compare: (a: T, b: T) => number) {
    this.#max = max;
    this.#compare = compare;
  }

  /** Offers an entry. For each key only the best entry is kept. */
  offer(key: string, entry: T): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (this.#compare(entry, known) < 0) this.#entries.set(key, entry);
      return;
    }
    this.#entries.set(key, entry);
    if (this.#entries.size > 2 * this.#max) this.#trim();
  }

  best(): T[] {
    this.#trim();
    return [...this.#entries.values()];
  }

  #trim(): void {
    const kept = [...this.#entries].sort(([, a], [, b]) => this.#compare(a, b)).slice(0, this.#max);
    this.#entries.clear();
    for (const [key, entry] of kept) this.#entries.set(key, entry);
  }
}
