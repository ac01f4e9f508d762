/** Reads prompts: what a prompt leaves in the cache and what may follow it. Each prompt alone, whatever else waits. */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { causalBias, type Weights } from './decoder.ts';
import { prefillGraph } from './prefill-graph.ts';
import { openSession } from './session.ts';

export interface Prefix {
  /** Tokens of the prompt. */
  readonly length: number;
  /** [2 · layers, keyValueHeads, padded length, headSize]: each layer's keys, then its values. */
  readonly fresh: Float32Array;
  readonly paddedLength: number;
  /** Of the token after the last, [vocabularySize]. */
  readonly logProbabilities: Float32Array;
}

/** Prompts are padded to a multiple of this: a graph a length, opened when first needed. */
const LENGTH_STEP = 32;

interface LengthClass {
  readonly session: InferenceSession;
  readonly positions: Tensor;
  readonly bias: Tensor;
}

export class Prefiller {
  readonly #weights: Weights;
  readonly #padId: number;
  readonly #classes = new Map<number, LengthClass>();

  constructor(weights: Weights, padId: number) {
    this.#weights = weights;
    this.#padId = padId;
  }

  /** `prompt` holds 1 to contextLength tokens. */
  async prefill(prompt: readonly number[]): Promise<Prefix> {
    const { contextLength } = this.#weights.shape;
    const paddedLength = Math.min(Math.ceil(prompt.length / LENGTH_STEP) * LENGTH_STEP, contextLength);
    const { session, positions, bias } = await this.#classFor(paddedLength);
    const tokens = BigInt64Array.from({ length: paddedLength }, (_, at) => BigInt(prompt[at] ?? this.#padId));
    const results = await session.run({
      tokens: new Tensor('int64', tokens, [paddedLength]),
      positions,
      bias,
      last: new Tensor('int64', BigInt64Array.of(BigInt(prompt.length - 1)), [1]),
    });
    return {
      length: prompt.length,
      paddedLength,
      fresh: results.fresh!.data as Float32Array,
      logProbabilities: results.logProbabilities!.data as Float32Array,
    };
  }

  async close(): Promise<void> {
    for (const { session } of this.#classes.values()) await session.release();
    this.#classes.clear();
  }

  async #classFor(length: number): Promise<LengthClass> {
    let known = this.#classes.get(length);
    if (known === undefined) {
      known = {
        session: await openSession(prefillGraph(this.#weights, length), 'prefill'),
        positions: new Tensor(
          'int64',
          BigInt64Array.from({ length }, (_, at) => BigInt(at)),
          [1, length],
        ),
        bias: causalBias(length),
      };
      this.#classes.set(length, known);
    }
    return known;
  }
}
