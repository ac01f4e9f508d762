/** Scores held-out examples by likelihood, whatever the training objective. */
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { likelihood } from '../objectives/likelihood.ts';
import type { Objective } from '../objectives/objective.ts';
import { readRows } from './example-file.ts';
import { sequenceLogprobs } from './sequence-logprobs.ts';
import type { TrainingEngine } from './training-engine.ts';
import { TrainingSet } from './training-set.ts';

export class HeldOut {
  readonly #examples: TrainingSet;
  readonly #contextLength: number;

  /** Reads a file of examples and drops those longer than the context. */
  constructor(path: string, tokenizer: Tokenizer, contextLength: number) {
    this.#contextLength = contextLength;
    this.#examples = new TrainingSet(readRows(path, likelihood), likelihood as Objective, tokenizer, contextLength);
  }

  /** Number of examples dropped because they exceed the context. */
  get tooLong(): number {
    return this.#examples.tooLong;
  }

  /** Returns Σ weight · -log p / Σ weight over all target tokens, nats; null if no example is left. */
  async loss(engine: TrainingEngine, parameters: Float32Array): Promise<number | null> {
    const examples = this.#examples;
    if (examples.count === 0) return null;
    const all = Array.from({ length: examples.count }, (_, at) => at);
    const found = await sequenceLogprobs(engine, parameters, examples, all, this.#contextLength);
    let [loss, weight] = [0, 0];
    for (const [at, logprobs] of found.entries()) {
      const numbers = examples.allNumbers[at] as { readonly weight: number };
      for (const logprob of logprobs) loss -= numbers.weight * logprob;
      weight += numbers.weight * logprobs.length;
    }
    return loss / weight;
  }
}
