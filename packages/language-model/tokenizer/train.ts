/**
 * Trains a tokenizer's merges on texts (Sennrich et al. 2016): repeatedly makes the most frequent pair of neighbours a
 * token. Deterministic: ties go to the pair with the lower ids. Texts are streamed once; memory holds the distinct
 * words and their counts.
 */

import { StpError } from '@stp/base';
import { PROMPT_MARKERS } from '@stp/config/words';
import { BYTE_ALPHABET } from './bytes.ts';
import { ownTokenizer } from './own-tokenizer.ts';
import { END_TOKEN, PAD_TOKEN } from './special-tokens.ts';
import type { Tokenizer } from './tokenizer.ts';
import { splitWords } from './words.ts';

export interface TokenizerTraining {
  /** Maximum number of tokens: special tokens, 256 bytes, merges. A small corpus may give fewer. */
  readonly vocabularySize: number;
  /** Markers beside `<pad>` and `<end>`; default `PROMPT_MARKERS`. Visible ASCII without spaces. */
  readonly specialTokens?: readonly string[];
}

/** A pair of ids is encoded as left · VOCABULARY_SIZE_MAX + right; ids fit 16 bits. */
const VOCABULARY_SIZE_MAX = 65_536;
/** Minimum count of a merged pair. */
const PAIR_COUNT_MIN = 2;
const SPECIAL_TOKEN = /^[!-~]{2,64}$/;

interface Word {
  ids: number[];
  readonly count: number;
}

export function trainTokenizer(texts: Iterable<string>, training: TokenizerTraining): Tokenizer {
  const markers = training.specialTokens ?? PROMPT_MARKERS;
  const specialTokens = [PAD_TOKEN, END_TOKEN, ...markers];
  const mergesMax = training.vocabularySize - specialTokens.length - BYTE_ALPHABET.length;
  if (mergesMax < 0 || training.vocabularySize > VOCABULARY_SIZE_MAX) {
    throw invalid(`vocabulary of ${training.vocabularySize} tokens`);
  }
  const unfit = markers.find((marker) => !SPECIAL_TOKEN.test(marker));
  if (unfit !== undefined) throw invalid(`special token ${JSON.stringify(unfit)}`);

  const words = countWords(texts, specialTokens);
  const pairs = new PairCounts(words);
  const vocabulary = [...specialTokens, ...BYTE_ALPHABET];
  const idOfToken = new Map(vocabulary.map((token, id) => [token, id]));
  const merges: [string, string][] = [];
  while (vocabulary.length < training.vocabularySize) {
    const pair = pairs.mostFrequent(PAIR_COUNT_MIN);
    if (pair === null) break;
    const left = vocabulary[Math.floor(pair / VOCABULARY_SIZE_MAX)]!;
    const right = vocabulary[pair % VOCABULARY_SIZE_MAX]!;
    const known = idOfToken.get(left + right);
    const merged = known ?? vocabulary.push(left + right) - 1;
    idOfToken.set(left + right, merged);
    merges.push([left, right]);
    pairs.merge(pair, merged);
  }
  return ownTokenizer(specialTokens, merges);
}

/** Returns the distinct words as byte ids with their counts, in order of first occurrence, without special tokens. */
function countWords(texts: Iterable<string>, specialTokens: readonly string[]): Word[] {
  // Longest first, so that a token is not hidden by one of its prefixes.
  const longestFirst = [...specialTokens].sort((a, b) => b.length - a.length);
  const special = new RegExp(longestFirst.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'));
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const plain of text.split(special))
      for (const word of splitWords(plain)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const bytesOf = (word: string): number[] =>
    Array.from(Buffer.from(word, 'utf8'), (byte) => specialTokens.length + byte);
  return Array.from(counts, ([word, count]) => ({ ids: bytesOf(word), count }));
}

/** The count of each pair of neighbours, and the words with it; updated as pairs are merged. */
class PairCounts {
  readonly #words: Word[];
  readonly #counts = new Map<number, number>();
  readonly #wordsOf = new Map<number, Set<number>>();

  constructor(words: Word[]) {
    this.#words = words;
    words.forEach((_, index) => {
      this.#add(index, 1);
    });
  }

  /** Returns the most frequent pair, the lowest among equals; null if none occurs `countMin` times. */
  mostFrequent(countMin: number): number | null {
    let best: number | null = null;
    let bestCount = countMin - 1;
    for (const [pair, count] of this.#counts) {
      if (count > bestCount || (count === bestCount && best !== null && pair < best)) {
        best = pair;
        bestCount = count;
      }
    }
    return best;
  }

  merge(pair: number, merged: number): void {
    const left = Math.floor(pair / VOCABULARY_SIZE_MAX);
    const right = pair % VOCABULARY_SIZE_MAX;
    for (const index of [...(this.#wordsOf.get(pair) ?? [])]) {
      const word = this.#words[index]!;
      this.#add(index, -1);
      const ids: number[] = [];
      for (let at = 0; at < word.ids.length; at++) {
        if (word.ids[at] === left && word.ids[at + 1] === right) {
          ids.push(merged);
          at++;
        } else ids.push(word.ids[at]!);
      }
      word.ids = ids;
      this.#add(index, 1);
    }
    this.#wordsOf.delete(pair);
    this.#counts.delete(pair);
  }

  #add(index: number, sign: 1 | -1): void {
    const { ids, count } = this.#words[index]!;
    for (let at = 0; at + 1 < ids.length; at++) {
      const pair = ids[at]! * VOCABULARY_SIZE_MAX + ids[at + 1]!;
      const total = (this.#counts.get(pair) ?? 0) + sign * count;
      if (total === 0) this.#counts.delete(pair);
      else this.#counts.set(pair, total);
      if (sign === 1) {
        const wordsOf = this.#wordsOf.get(pair);
        if (wordsOf === undefined) this.#wordsOf.set(pair, new Set([index]));
        else wordsOf.add(index);
      }
    }
  }
}

function invalid(problem: string): StpError {
  return new StpError('STP1002', `tokenizer training: ${problem}`, 'See `TokenizerTraining` for what is accepted.');
}
