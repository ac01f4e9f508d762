/** Scores the examples that are kept out of training: the loss of a model on them, without a gradient. */
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { readExamples } from './example-file.ts';
import { ExampleStore } from './example-store.ts';
import { packRows } from './pack-rows.ts';
import { packedBatch, type TokenisedExample, targetWeight } from './packed-batch.ts';
import type { TrainingEngine } from './training-engine.ts';

/** Tokens scored in one call, but for a longer example: bounds memory and the time the thread is blocked. */
const TOKENS_AT_ONCE = 8192;

export class HeldOut {
  /** Examples left out because they exceed the context. */
  readonly tooLong: number;
  private readonly examples: ExampleStore;
  private readonly contextLength: number;

  /** Reads a file of examples; those longer than the context are left out. */
  constructor(path: string, tokenizer: Tokenizer, contextLength: number) {
    this.contextLength = contextLength;
    this.examples = new ExampleStore(tokenizer, contextLength);
    for (const example of readExamples(path)) this.examples.add(example);
    this.tooLong = this.examples.tooLong;
  }

  /** Σ weight · -log p / Σ weight over all target tokens, nats; null where no example is left to score. */
  async loss(engine: TrainingEngine, parameters: Float32Array): Promise<number | null> {
    if (this.examples.count === 0) return null;
    let loss = 0;
    let weight = 0;
    for (let first = 0; first < this.examples.count; ) {
      const chosen: TokenisedExample[] = [];
      let tokens = 0;
      while (
        first < this.examples.count &&
        (chosen.length === 0 || tokens + this.examples.length(first) <= TOKENS_AT_ONCE)
      ) {
        tokens += this.examples.length(first);
        chosen.push(this.examples.get(first));
        first += 1;
      }
      const batches = packRows(chosen, this.contextLength).map(({ rows, rowLength }) =>
        packedBatch(rows, rowLength, 1),
      );
      for (const part of await engine.score(parameters, batches)) loss += part;
      weight += targetWeight(chosen);
    }
    return loss / weight;
  }
}
