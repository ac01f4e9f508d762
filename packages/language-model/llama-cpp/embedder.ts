/**
 * Embeds texts with llama.cpp: the mean of the last hidden layer over the tokens, scaled to length 1. The binding
 * returns only the last token's hidden state of a batch, so the tokens are read one by one.
 */
import { EMBEDDING_TOKENS_MAX } from '../generator.ts';
import type { LlamaContext, LlamaModel } from './library.ts';
import type { LlamaTokens } from './sampler.ts';

export class LlamaEmbedder {
  readonly #model: LlamaModel;
  readonly #tokens: LlamaTokens;
  readonly #tokensMax: number;
  readonly #threads: number;
  #context: Promise<LlamaContext> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(model: LlamaModel, tokens: LlamaTokens, contextLength: number, threads: number) {
    this.#model = model;
    this.#tokens = tokens;
    this.#tokensMax = Math.min(EMBEDDING_TOKENS_MAX, contextLength);
    this.#threads = threads;
  }

  /** Returns the texts' vectors in one array. Calls run one after another. */
  embed(texts: readonly string[]): Promise<Float32Array> {
    const embedded = this.#turn.then(() => this.#embed(texts));
    this.#turn = embedded.catch(() => undefined);
    return embedded;
  }

  async #embed(texts: readonly string[]): Promise<Float32Array> {
    const size = this.#model._model.getEmbeddingVectorSize();
    const vectors = new Float32Array(texts.length * size);
    for (const [index, text] of texts.entries()) {
      const sum = await this.#sum(text, size);
      const length = Math.hypot(...sum);
      for (let at = 0; at < size; at++) vectors[index * size + at] = length === 0 ? 0 : sum[at]! / length;
    }
    return vectors;
  }

  async #sum(text: string, size: number): Promise<Float64Array> {
    this.#context ??= this.#model.createContext({
      _embeddings: true,
      sequences: 1,
      contextSize: this.#tokensMax,
      batchSize: 1,
      threads: this.#threads,
    });
    const { _ctx: context } = await this.#context;
    const sum = new Float64Array(size);
    const ids = text === '' ? [] : this.#tokens.encodePrompt(text).slice(0, this.#tokensMax);
    context.disposeSequence(0);
    for (const [position, id] of ids.entries()) {
      context.initBatch(1);
      context.addToBatch(0, position, Uint32Array.of(id), Uint32Array.of(0));
      await context.decodeBatch();
      context.getEmbedding(1).forEach((value, at) => {
        sum[at]! += value;
      });
    }
    return sum;
  }
}
