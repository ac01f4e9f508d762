/**
 * Embeds texts in batches of similar length. A text's result depends only on the text, bit for bit: its padded length
 * follows from its own tokens, and a row's arithmetic does not depend on other rows.
 */
import { EMBEDDING_TOKENS_MAX } from '../../generator.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { TOKEN_CHARS_MAX } from '../../tokenizer/tokenizer-file.ts';
import type { ModelShape } from '../../trainer.ts';
import type { Reader } from './reader.ts';

/** Texts are padded to a multiple of this. It fills whole vector blocks, and avoids the kernels for a single row. */
const LENGTH_STEP = 16;
/** Maximum tokens of a run, padding included, unless one text alone has more. It keeps the matrix kernels busy. */
const RUN_TOKENS_MAX = 1_024;

interface Encoded {
  readonly index: number;
  readonly ids: readonly number[];
  readonly paddedLength: number;
}

export class Embedder {
  readonly #reader: Reader;
  readonly #tokenizer: Tokenizer;
  readonly #hiddenSize: number;
  readonly #tokensMax: number;

  constructor(reader: Reader, tokenizer: Tokenizer, { hiddenSize, contextLength }: ModelShape) {
    this.#reader = reader;
    this.#tokenizer = tokenizer;
    this.#hiddenSize = hiddenSize;
    this.#tokensMax = Math.min(EMBEDDING_TOKENS_MAX, contextLength);
  }

  /** As `Generator.embed`, with the vectors in one array: [texts, hiddenSize]. */
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

  #encode(text: string, index: number): Encoded {
    // Text beyond these characters is beyond the last token that counts.
    const start = text.slice(0, this.#tokensMax * TOKEN_CHARS_MAX);
    const ids = this.#tokenizer.encodePrompt(start).slice(0, this.#tokensMax);
    return { index, ids, paddedLength: Math.ceil(ids.length / LENGTH_STEP) * LENGTH_STEP };
  }

  async #run(batch: readonly Encoded[], vectors: Float32Array): Promise<void> {
    const ids = batch.map((text) => text.ids);
    const means = await this.#reader.means(ids, batch[0]!.paddedLength);
    const size = this.#hiddenSize;
    batch.forEach(({ index }, row) => {
      vectors.set(normalised(means.subarray(row * size, (row + 1) * size)), index * size);
    });
  }
}

/** Returns the vector scaled to L2 norm 1, summed in double precision. The zero vector is unchanged. */
function normalised(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares === 0 ? vector : vector.map((value) => value / Math.sqrt(squares));
}
