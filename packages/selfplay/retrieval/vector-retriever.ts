/** Learned retrieval: premises and states as vectors of one encoder, compared by their cosine. */
import { bestAccessible, type PremiseQuery, type RetrievedPremise, type Retriever } from './retriever.ts';

/** Returns unit vectors of texts, in the order of the texts. */
export type EmbedTexts = (
  texts: readonly string[],
  options?: { readonly signal?: AbortSignal },
) => Promise<readonly Float32Array[]>;

const TARGET = /^⊢[ ]?/mu;

/**
 * Returns a state as the encoder reads it: the first target, then the rest, so that truncating a long state keeps its
 * target.
 */
export function queryText(state: string): string {
  const at = state.search(TARGET);
  if (at < 0) return state;
  const end = state.indexOf('\n\n', at);
  const target = end < 0 ? state.slice(at) : state.slice(at, end);
  return `${target}\n${state.slice(0, at)}${end < 0 ? '' : state.slice(end).trimStart()}`.trimEnd();
}

export class VectorRetriever implements Retriever {
  readonly #embed: EmbedTexts;
  readonly #vectors: Float32Array;
  readonly #size: number;

  /** @param vectors of the premises, one after another, each of `size` numbers */
  constructor(embed: EmbedTexts, vectors: Float32Array, size: number) {
    this.#embed = embed;
    this.#vectors = vectors;
    this.#size = size;
  }

  async retrieve(
    queries: readonly PremiseQuery[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (readonly RetrievedPremise[])[]> {
    const texts = queries.map(({ state }) => queryText(state));
    const vectors = await this.#embed(texts, signal === undefined ? {} : { signal });
    return queries.map(({ accessible }, index) => bestAccessible(this.#scored(vectors[index]!), accessible, most));
  }

  *#scored(query: Float32Array): Generator<RetrievedPremise> {
    const size = this.#size;
    for (let premise = 0, at = 0; at < this.#vectors.length; premise++) {
      let score = 0;
      for (let element = 0; element < size; element++) score += query[element]! * this.#vectors[at++]!;
      yield { premise, score };
    }
  }
}
