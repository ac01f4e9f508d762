/**
 * Reads whole texts: prompts one at a time, so that a prompt's result cannot depend on others, and texts to embed in
 * batches padded to one length.
 */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { MASKED } from '../decoder/decoder.ts';
import type { Weights } from './fused-decoder.ts';
import { readingGraph } from './reading-graph.ts';
import { openSession } from './session.ts';

/** The state after reading a prompt. */
export interface Prefix {
  /** Number of tokens of the prompt. */
  readonly length: number;
  /** [2 · layers, keyValueHeads, padded length, headSize]: each layer's keys, then its values. */
  readonly fresh: Float32Array;
  readonly paddedLength: number;
  /** Log-probabilities of the token after the prompt, [vocabularySize]. */
  readonly logProbabilities: Float32Array;
}

/** Prompts are padded to a multiple of this. */
const PROMPT_LENGTH_STEP = 32;

export class Reader {
  readonly #session: InferenceSession;
  readonly #contextLength: number;
  readonly #padId: number;
  /**
   * The causal mask, [length, length], for the last length read. Masks for all lengths of a long context would take too
   * much memory.
   */
  #bias: Tensor | null = null;

  private constructor(session: InferenceSession, contextLength: number, padId: number) {
    this.#session = session;
    this.#contextLength = contextLength;
    this.#padId = padId;
  }

  static async open(weights: Weights, padId: number): Promise<Reader> {
    const session = await openSession(readingGraph(weights), 'reading');
    return new Reader(session, weights.shape.contextLength, padId);
  }

  /** Reads a prompt of 1 to contextLength tokens. */
  async prefill(prompt: readonly number[]): Promise<Prefix> {
    const steps = Math.ceil(prompt.length / PROMPT_LENGTH_STEP);
    const paddedLength = Math.min(steps * PROMPT_LENGTH_STEP, this.#contextLength);
    const { fresh, logProbabilities } = await this.#run([prompt], paddedLength, ['fresh', 'logProbabilities']);
    return {
      length: prompt.length,
      paddedLength,
      fresh: fresh!.data as Float32Array,
      logProbabilities: logProbabilities!.data as Float32Array,
    };
  }

  /**
   * Returns means of the last layer over each text's tokens, [texts, hiddenSize]; a text has 1 to `paddedLength`
   * tokens.
   */
  async means(texts: readonly (readonly number[])[], paddedLength: number): Promise<Float32Array> {
    const { means } = await this.#run(texts, paddedLength, ['means']);
    return means!.data as Float32Array;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  /** Runs the graph. Only the named outputs are copied. */
  #run(texts: readonly (readonly number[])[], length: number, outputs: readonly string[]) {
    const rows = texts.length;
    const tokens = new BigInt64Array(rows * length).fill(BigInt(this.#padId));
    // Padding has position 0, since it may reach beyond the context.
    const positions = new BigInt64Array(rows * length);
    const shares = new Float32Array(rows * length);
    texts.forEach((ids, row) => {
      ids.forEach((id, at) => {
        tokens[row * length + at] = BigInt(id);
        positions[row * length + at] = BigInt(at);
        shares[row * length + at] = 1 / ids.length;
      });
    });
    const last = BigInt64Array.from(texts, (ids, row) => BigInt(row * length + ids.length - 1));
    const inputs = {
      tokens: new Tensor('int64', tokens, [rows, length]),
      positions: new Tensor('int64', positions, [rows * length, 1]),
      bias: this.#biasFor(length),
      last: new Tensor('int64', last, [rows]),
      shares: new Tensor('float32', shares, [rows, 1, length]),
    };
    return this.#session.run(inputs, outputs);
  }

  #biasFor(length: number): Tensor {
    if (this.#bias?.dims[0] !== length) {
      const values = new Float32Array(length * length);
      for (let row = 0; row < length; row++) values.fill(MASKED, row * length + row + 1, (row + 1) * length);
      this.#bias = new Tensor('float32', values, [length, length]);
    }
    return this.#bias;
  }
}
