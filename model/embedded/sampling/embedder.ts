/**
 * Embeds texts in batches of like length. What a text gives depends on it alone, bit for bit: the length it is padded to
 * follows from its own tokens, and a row's arithmetic is the same beside any others.
 */
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { EMBEDDING_TOKENS_MAX } from '../../generator.ts';
import { TOKEN_CHARS_MAX, type Tokenizer } from '../../tokenizer/tokenizer.ts';
import { causalBias, type Weights } from './decoder.ts';
import { embeddingGraph } from './embedding-graph.ts';
import { openSession } from './session.ts';

/** Texts are padded to a multiple of this. Whole vector blocks, and never the kernels of a single row. */
const LENGTH_STEP = 16;
/** Tokens of a run, padding included, unless one text alone has more: enough to keep the matrix kernels busy. */
const RUN_TOKENS_MAX = 1_024;

interface Encoded {
  readonly index: number;
  readonly ids: readonly number[];
  readonly paddedLength: number;
}

export class Embedder {
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  readonly #hiddenSize: number;
  readonly #tokensMax: number;

  private constructor(session: InferenceSession, { shape }: Weights, tokenizer: Tokenizer) {
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#hiddenSize = shape.hiddenSize;
    this.#tokensMax = Math.min(EMBEDDING_TOKENS_MAX, shape.contextLength);
  }

  static async open(weights: Weights, tokenizer: Tokenizer): Promise<Embedder> {
    return new Embedder(await openSession(embeddingGraph(weights), 'embedding'), weights, tokenizer);
  }

  /** As `Generator.embed`, the vectors one after another: [texts, hiddenSize]. */
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.#hiddenSize);
    const encoded = texts
      .map((text, index) => this.#encode(text, index))
      .filter(({ ids }) => ids.length > 0)
      .sort((left, right) => left.paddedLength - right.paddedLength);
    while (encoded.length > 0) {
      const { paddedLength } = encoded[0]!;
      const fitting = Math.max(1, Math.floor(RUN_TOKENS_MAX / paddedLength));
      const others = encoded.findIndex((text) => text.paddedLength !== paddedLength);
      await this.#run(encoded.splice(0, Math.min(fitting, others < 0 ? encoded.length : others)), vectors);
    }
    return vectors;
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #encode(text: string, index: number): Encoded {
    // What lies beyond these characters is beyond the last token that counts.
    const start = text.slice(0, this.#tokensMax * TOKEN_CHARS_MAX);
    const ids = this.#tokenizer.encode(start).slice(0, this.#tokensMax);
    return { index, ids, paddedLength: Math.ceil(ids.length / LENGTH_STEP) * LENGTH_STEP };
  }

  async #run(batch: readonly Encoded[], vectors: Float32Array): Promise<void> {
    const length = batch[0]!.paddedLength;
    const rows = batch.length;
    const tokens = new BigInt64Array(rows * length).fill(BigInt(this.#tokenizer.padId));
    const positions = new BigInt64Array(rows * length);
    const shares = new Float32Array(rows * length);
    batch.forEach(({ ids }, row) => {
      ids.forEach((id, at) => {
        tokens[row * length + at] = BigInt(id);
        // Padding stays at position 0: a text may end close to the context's end.
        positions[row * length + at] = BigInt(at);
        shares[row * length + at] = 1 / ids.length;
      });
    });
    const { means } = await this.#session.run({
      tokens: new Tensor('int64', tokens, [rows, length]),
      positions: new Tensor('int64', positions, [rows * length, 1]),
      bias: causalBias(length),
      shares: new Tensor('float32', shares, [rows, 1, length]),
    });
    const size = this.#hiddenSize;
    batch.forEach(({ index }, row) => {
      const mean = (means!.data as Float32Array).subarray(row * size, (row + 1) * size);
      vectors.set(normalised(mean), index * size);
    });
  }
}

/** The vector at length 1 in L2, summed in double precision; zeros stay zeros. */
function normalised(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares === 0 ? vector : vector.map((value) => value / Math.sqrt(squares));
}
