/**
 * A map from 32-bit keys to lists of numbers, in typed arrays: 8 bytes per entry and some 16 per key; a Map of arrays
 * takes ten times as much. Grows by doubling; entries are never removed.
 */
const NONE = -1;
/** Largest share of the table's places that is taken: beyond it, looking for a free one takes long. */
const LOAD_MAX = 0.6;

export class Postings {
  /** Entries over all keys. */
  size = 0;
  private keyCount = 0;
  /** Open addressing: the key at a place, and its latest entry (NONE: the place is free). */
  private keys = new Uint32Array(1_024);
  private latest = new Int32Array(1_024).fill(NONE);
  /** An entry's value, and the entry of the same key before it. */
  private values = new Uint32Array(1_024);
  private before = new Int32Array(1_024);

  add(key: number, value: number): void {
    if (this.keyCount >= LOAD_MAX * this.keys.length) this.growTable();
    if (this.size === this.values.length) this.growEntries();
    const place = this.placeOf(key);
    if (this.latest[place] === NONE) {
      this.keys[place] = key;
      this.keyCount++;
    }
    this.values[this.size] = value;
    this.before[this.size] = this.latest[place]!;
    this.latest[place] = this.size++;
  }

  /** Calls `visit` with every value of the key, the latest first. */
  each(key: number, visit: (value: number) => void): void {
    for (let at = this.latest[this.placeOf(key)]!; at !== NONE; at = this.before[at]!) visit(this.values[at]!);
  }

  /** Where the key is, or the free place where it would be. */
  private placeOf(key: number): number {
    const mask = this.keys.length - 1;
    // Fibonacci hashing: neighbouring keys are spread apart.
    let place = (Math.imul(key, 0x9e3779b1) >>> 7) & mask;
    while (this.latest[place] !== NONE && this.keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  private growTable(): void {
    const [keys, latest] = [this.keys, this.latest];
    this.keys = new Uint32Array(2 * keys.length);
    this.latest = new Int32Array(2 * keys.length).fill(NONE);
    for (const [at, entry] of latest.entries()) {
      if (entry === NONE) continue;
      const place = this.placeOf(keys[at]!);
      this.keys[place] = keys[at]!;
      this.latest[place] = entry;
    }
  }

  private growEntries(): void {
    const [values, before] = [this.values, this.before];
    this.values = new Uint32Array(2 * values.length);
    this.values.set(values);
    this.before = new Int32Array(2 * before.length);
    this.before.set(before);
  }
}
