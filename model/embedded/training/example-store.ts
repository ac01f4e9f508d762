/** Tokenised examples in typed arrays: two bytes per token instead of one object per example. */

import type { Example } from '../../../data/schemas/records.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import type { TokenisedExample } from './packed-batch.ts';

const GROWTH_FACTOR = 2;

export class ExampleStore {
  /** Examples left out because they exceed the context. */
  tooLong = 0;
  private readonly tokenizer: Tokenizer;
  private readonly contextLength: number;
  private tokens = new Uint16Array(1 << 12);
  private readonly starts: number[] = [0];
  private readonly promptLengths: number[] = [];
  private readonly weights: number[] = [];

  constructor(tokenizer: Tokenizer, contextLength: number) {
    this.tokenizer = tokenizer;
    this.contextLength = contextLength;
  }

  get count(): number {
    return this.weights.length;
  }

  /** Adds prompt, target and end-of-text. An example of weight 0 is not kept: it would train nothing. */
  add(example: Example): void {
    if (example.weight === 0) return;
    const prompt = this.tokenizer.encode(example.prompt);
    const ids = [...prompt, ...this.tokenizer.encode(example.target), this.tokenizer.endId];
    if (ids.length > this.contextLength) {
      this.tooLong += 1;
      return;
    }
    const start = this.starts.at(-1)!;
    this.reserve(start + ids.length);
    this.tokens.set(ids, start);
    this.starts.push(start + ids.length);
    this.promptLengths.push(prompt.length);
    this.weights.push(example.weight);
  }

  length(index: number): number {
    return this.starts[index + 1]! - this.starts[index]!;
  }

  get(index: number): TokenisedExample {
    const tokens = this.tokens.subarray(this.starts[index], this.starts[index + 1]);
    return { tokens, promptLength: this.promptLengths[index]!, weight: this.weights[index]! };
  }

  private reserve(tokens: number): void {
    if (tokens <= this.tokens.length) return;
    const grown = new Uint16Array(Math.max(tokens, this.tokens.length * GROWTH_FACTOR));
    grown.set(this.tokens);
    this.tokens = grown;
  }
}
