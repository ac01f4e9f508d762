/**
 * Builds the text of a sample from its tokens: joins bytes to whole characters, watches for stop texts, and returns the
 * part that can already be shown. The cut depends only on the text, not on its division into tokens: the stop text that
 * is complete first counts.
 */
export class SampleTextBuilder {
  // A byte-order mark at the start is kept as text.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #stops: readonly string[];
  readonly #longestStop: number;
  #text = '';
  #shown = 0;
  #stopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
    this.#longestStop = stops.reduce((longest, stop) => Math.max(longest, stop.length), 0);
  }

  get text(): string {
    return this.#text;
  }

  /** Adds a token's bytes. Returns true if a stop text is complete; the text is then cut before it. */
  push(bytes: Uint8Array): boolean {
    return this.#add(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the text. Incomplete bytes become U+FFFD. */
  finish(): void {
    this.#add(this.#decoder.decode());
    this.#stopped = true;
  }

  /** Returns new text that no later token can cut off. */
  takeShowable(): string {
    const end = this.#stopped ? this.#text.length : this.#text.length - this.#possibleStopLength();
    const delta = this.#text.slice(this.#shown, end);
    this.#shown = Math.max(this.#shown, end);
    return delta;
  }

  #add(piece: string): boolean {
    if (this.#stopped || piece === '') return this.#stopped;
    const from = Math.max(0, this.#text.length - this.#longestStop + 1);
    this.#text += piece;
    const cut = this.#cut(from);
    if (cut === null) return false;
    this.#text = this.#text.slice(0, cut);
    this.#stopped = true;
    return true;
  }

  /**
   * Returns the start of the stop text that ends first, searching from `from`; of several that end there, the
   * longest.
   */
  #cut(from: number): number | null {
    let start: number | null = null;
    let end = Number.POSITIVE_INFINITY;
    for (const stop of this.#stops) {
      const found = this.#text.indexOf(stop, from);
      const foundEnd = found + stop.length;
      if (found < 0 || foundEnd > end || (foundEnd === end && found > start!)) continue;
      start = found;
      end = foundEnd;
    }
    return start;
  }

  /** Returns the length of the longest suffix of the text that is a prefix of a stop text. */
  #possibleStopLength(): number {
    for (let length = Math.min(this.#longestStop - 1, this.#text.length); length > 0; length--) {
      const end = this.#text.slice(-length);
      if (this.#stops.some((stop) => stop.length > length && stop.startsWith(end))) return length;
    }
    return 0;
  }
}
