/** Tokenised records in typed arrays: four bytes per token instead of one object per sequence. */

import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import type { Objective, Sequence } from '../objectives/objective.ts';
import type { TokenisedExample } from './packed-batch.ts';

const GROWTH_FACTOR = 2;

/** The sequences of records, each with prompt, target and end-of-text. */
export class TrainingSet {
  /** Records dropped because one of their sequences exceeds the context. */
  tooLong = 0;
  readonly #tokenizer: Tokenizer;
  readonly #contextLength: number;
  #tokens = new Uint32Array(1 << 12);
  /** Start index of each sequence, and the end of the last. */
  readonly #starts: number[] = [0];
  readonly #promptLengths: number[] = [];
  /** Index of each record's first sequence, and the end of the last record. */
  readonly #firsts: number[] = [0];
  readonly #numbers: unknown[] = [];

  constructor(rows: Iterable<unknown>, objective: Objective, tokenizer: Tokenizer, contextLength: number) {
    this.#tokenizer = tokenizer;
    this.#contextLength = contextLength;
    for (const row of rows) this.#add(objective.sequences(row), objective.numbers(row));
  }

  /** Number of records. */
  get count(): number {
    return this.#numbers.length;
  }

  get sequenceCount(): number {
    return this.#promptLengths.length;
  }

  /** The data of each record beside its sequences. */
  get allNumbers(): readonly unknown[] {
    return this.#numbers;
  }

  /** Returns the number of tokens of a record. */
  length(index: number): number {
    return this.#starts[this.#firsts[index + 1]!]! - this.#starts[this.#firsts[index]!]!;
  }

  /** Returns the range of a record's sequences: the index of the first, and that after the last. */
  sequencesOf(index: number): readonly [first: number, end: number] {
    return [this.#firsts[index]!, this.#firsts[index + 1]!];
  }

  /** Returns a sequence with these weights for its target tokens. */
  sequence(at: number, weights: ArrayLike<number>): TokenisedExample {
    const tokens = this.#tokens.subarray(this.#starts[at], this.#starts[at + 1]);
    return { tokens, promptLength: this.#promptLengths[at]!, weights };
  }

  /** Returns the number of target tokens of a sequence, its end included. */
  targetLength(at: number): number {
    return this.#starts[at + 1]! - this.#starts[at]! - this.#promptLengths[at]!;
  }

  /** Adds a record. One without sequences trains nothing and is dropped. */
  #add(sequences: readonly Sequence[], numbers: unknown): void {
    if (sequences.length === 0) return;
    const encoded = sequences.map(({ prompt, target }) => {
      const ids = this.#tokenizer.encodePrompt(prompt);
      return { promptLength: ids.length, ids: [...ids, ...this.#tokenizer.encode(target), this.#tokenizer.endId] };
    });
    if (encoded.some(({ ids }) => ids.length > this.#contextLength)) {
      this.tooLong += 1;
      return;
    }
    for (const { ids, promptLength } of encoded) {
      const start = this.#starts.at(-1)!;
      this.#reserve(start + ids.length);
      this.#tokens.set(ids, start);
      this.#starts.push(start + ids.length);
      this.#promptLengths.push(promptLength);
    }
    this.#firsts.push(this.#promptLengths.length);
    this.#numbers.push(numbers);
  }

  #reserve(tokens: number): void {
    if (tokens <= this.#tokens.length) return;
    const grown = new Uint32Array(Math.max(tokens, this.#tokens.length * GROWTH_FACTOR));
    grown.set(this.#tokens);
    this.#tokens = grown;
  }
}
