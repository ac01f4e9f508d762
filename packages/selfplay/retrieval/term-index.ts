/**
 * Symbolic retrieval: an inverted index from the names and operators of premises, and two ways to score a premise by the
 * terms that it shares with a proof state. Knows no model.
 */
import { bestAccessible, type PremiseQuery, type RetrievedPremise, type Retriever } from './retriever.ts';

/** `bm25`: Okapi BM25. `rare`: the share of the premise's terms that the state has too, each weighted by its rarity. */
export const TERM_SCORINGS = ['bm25', 'rare'] as const;
export type TermScoring = (typeof TERM_SCORINGS)[number];

/** Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), §3.2: the usual values. */
const SATURATION = 1.2;
const LENGTH_NORMALISATION = 0.75;
/** A name with dots, a number, or a run of other symbols. Brackets and punctuation are no terms. */
const TERM =
  /[\p{L}_][\p{L}\p{M}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{M}\p{N}_'!?₀-₉]*)*|\p{Nd}+|[^\s\p{L}\p{M}\p{Nd}_'"()[\]{}⟨⟩⦃⦄,;:.✝|]+/gu;
/** Names of variables from binders or hypotheses, which have a meaning only in their own text. */
const BOUND = /(?:[({⦃]|^)[ ]*((?:[\p{L}_][\p{L}\p{M}\p{N}_'!?₀-₉✝¹²³⁴-⁹]*[ ]+)+):(?!=)/gmu;
const KEYWORDS: ReadonlySet<string> = new Set(['theorem', 'lemma', 'def', 'by', 'fun', '⊢', ':=', '=>', '↦', 'case']);

/**
 * Returns the terms of a statement or a proof state, with repeats, without names of variables. A dotted name gives
 * itself and its last part, since a text may use either; after a variable, as in `xs.toList.length`, only the other parts.
 */
export const termsOf = (text: string): string[] => termsIn(text, boundIn(text));

/**
 * Returns the terms of a part of a text.
 * @param bound names of variables of the whole text
 */
export function termsIn(part: string, bound: ReadonlySet<string>): string[] {
  return (part.match(TERM) ?? []).flatMap((term) => {
    if (KEYWORDS.has(term) || bound.has(term)) return [];
    if (!term.includes('.')) return [term];
    const [first = '', ...others] = term.split('.');
    return bound.has(first) ? others : [term, others.at(-1)!];
  });
}

/** Returns the names of variables that a text binds. */
export function boundIn(text: string): ReadonlySet<string> {
  const bound = new Set<string>();
  for (const [, names] of text.matchAll(BOUND))
    for (const name of names!.trim().split(/\s+/u)) bound.add(name.replace(/✝.*$/u, ''));
  return bound;
}

/** The index as flat data. A term's postings are `documents` and `counts` from `starts[term]` to `starts[term + 1]`. */
export interface TermTable {
  readonly terms: readonly string[];
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
  /** Number of terms of each document, with repeats. */
  readonly lengths: Uint32Array;
}

/** Collects documents, numbered in order. */
export class TermTableBuilder {
  readonly #postings = new Map<string, number[]>();
  readonly #lengths: number[] = [];

  add(terms: readonly string[]): void {
    const document = this.#lengths.length;
    this.#lengths.push(terms.length);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const postings = this.#postings.get(term);
      if (postings === undefined) this.#postings.set(term, [document, count]);
      else postings.push(document, count);
    }
  }

  finish(): TermTable {
    const terms = [...this.#postings.keys()].sort();
    const total = terms.reduce((sum, term) => sum + this.#postings.get(term)!.length / 2, 0);
    const starts = new Uint32Array(terms.length + 1);
    const documents = new Uint32Array(total);
    const counts = new Uint32Array(total);
    let at = 0;
    for (const [number, term] of terms.entries()) {
      starts[number] = at;
      const postings = this.#postings.get(term)!;
      for (let index = 0; index < postings.length; index += 2) {
        documents[at] = postings[index]!;
        counts[at++] = postings[index + 1]!;
      }
    }
    starts[terms.length] = at;
    return { terms, starts, documents, counts, lengths: Uint32Array.from(this.#lengths) };
  }
}

export class TermRetriever implements Retriever {
  readonly #table: TermTable;
  readonly #scoring: TermScoring;
  readonly #numberOf: ReadonlyMap<string, number>;
  /** For each document, how much its length damps the counts of its terms. */
  readonly #norms: Float64Array;
  /** Sum of the weights of each document's distinct terms. */
  readonly #weights: Float64Array;
  /** Sums for the current query by document; all 0 between two queries. */
  readonly #scores: Float64Array;

  constructor(table: TermTable, scoring: TermScoring) {
    this.#table = table;
    this.#scoring = scoring;
    this.#numberOf = new Map(table.terms.map((term, number) => [term, number]));
    const meanLength = table.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, table.lengths.length);
    this.#norms = Float64Array.from(
      table.lengths,
      (length) => SATURATION * (1 - LENGTH_NORMALISATION + (LENGTH_NORMALISATION * length) / meanLength),
    );
    this.#weights = new Float64Array(table.lengths.length);
    this.#scores = new Float64Array(table.lengths.length);
    for (const number of table.terms.keys())
      for (let at = table.starts[number]!; at < table.starts[number + 1]!; at++)
        this.#weights[table.documents[at]!]! += this.#weight(number);
  }

  async retrieve(
    queries: readonly PremiseQuery[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (readonly RetrievedPremise[])[]> {
    return queries.map((query) => {
      signal?.throwIfAborted();
      return this.find(query, most);
    });
  }

  /** Finds the premises for one query. */
  find({ state, accessible }: PremiseQuery, most: number): readonly RetrievedPremise[] {
    return bestAccessible(this.#scored(state), accessible, most);
  }

  /** Yields every premise that shares a term with the state. Must be read to its end, which resets the sums to 0. */
  *#scored(state: string): Generator<RetrievedPremise> {
    const { starts, documents, counts } = this.#table;
    const scores = this.#scores;
    const touched: number[] = [];
    for (const term of new Set(termsOf(state))) {
      const number = this.#numberOf.get(term);
      if (number === undefined) continue;
      const weight = this.#weight(number);
      for (let at = starts[number]!; at < starts[number + 1]!; at++) {
        const document = documents[at]!;
        const part = this.#scoring === 'bm25' ? weight * this.#saturated(counts[at]!, document) : weight;
        if (scores[document] === 0) touched.push(document);
        scores[document]! += part;
      }
    }
    for (const premise of touched) {
      const score = scores[premise]!;
      scores[premise] = 0;
      yield { premise, score: this.#scoring === 'bm25' ? score : score / this.#weights[premise]! };
    }
  }

  /** Returns the rarity of a term: 0 if every document has it. */
  #weight(number: number): number {
    const { starts, lengths } = this.#table;
    const having = starts[number + 1]! - starts[number]!;
    if (this.#scoring === 'rare') return Math.log((lengths.length + 1) / having);
    return Math.log(1 + (lengths.length - having + 0.5) / (having + 0.5));
  }

  #saturated(count: number, document: number): number {
    return (count * (SATURATION + 1)) / (count + this.#norms[document]!);
  }
}
