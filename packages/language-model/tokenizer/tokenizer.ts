/**
 * Byte-level byte-pair encoding: text to token ids and back, with the same ids as the `tokenizers` package gives for
 * the file of `tokenizer-file.ts`. Ids are the special tokens, the 256 bytes, then one per merge. Every text can be
 * encoded; there is no unknown token.
 */
import { StpError } from '@stp/base';
import { BYTE_ALPHABET, bytesOfToken } from './bytes.ts';
import { END_TOKEN, PAD_TOKEN } from './special-tokens.ts';
import { splitWords } from './words.ts';

/** The parts a tokenizer is made of, all in order of id or rank. */
export interface TokenizerParts {
  /** Special tokens; they take the ids from 0. `<pad>` and `<end>` are among them. */
  readonly specialTokens: readonly string[];
  /** Merges by rank: two tokens over the byte alphabet that become one. */
  readonly merges: readonly (readonly [string, string])[];
}

/** Distinct words kept with their encoding; Lean corpora have some thousands. */
const CACHED_WORDS_MAX = 65_536;
/** Ids fit 16 bits; a pair of them is one number, left · VOCABULARY_SIZE_MAX + right. */
export const VOCABULARY_SIZE_MAX = 65_536;
/** Longest token a file may hold; a merge never leaves a word, which is far shorter. */
export const TOKEN_CHARS_MAX = 256;

export class Tokenizer {
  readonly parts: TokenizerParts;
  /** Token of each id. Two merges may spell the same token; it has one id. */
  readonly vocabulary: readonly string[];
  readonly padId: number;
  readonly endId: number;
  readonly #idOfToken = new Map<string, number>();
  readonly #rankOfPair = new Map<number, number>();
  /** Id a merge makes, by rank. */
  readonly #mergedId: number[] = [];
  readonly #bytesOfId: Uint8Array[];
  readonly #specialExpression: RegExp;
  readonly #encodedWords = new Map<string, readonly number[]>();

  /** Throws STP1002 where the parts do not fit each other. */
  constructor(parts: TokenizerParts) {
    this.parts = parts;
    const vocabulary = [...parts.specialTokens, ...BYTE_ALPHABET];
    vocabulary.forEach((token, id) => {
      this.#idOfToken.set(token, id);
    });
    if (this.#idOfToken.size !== vocabulary.length) throw misfit('a special token is given twice');
    parts.merges.forEach(([left, right], rank) => {
      const leftId = this.#mergeable(left);
      const rightId = this.#mergeable(right);
      let merged = this.#idOfToken.get(left + right);
      if (merged === undefined) {
        merged = vocabulary.push(left + right) - 1;
        this.#idOfToken.set(left + right, merged);
      } else if (merged < parts.specialTokens.length) throw misfit(`merges spell the special token ${left + right}`);
      const pair = leftId * VOCABULARY_SIZE_MAX + rightId;
      if (this.#rankOfPair.has(pair)) throw misfit(`merge of ${left} and ${right} is given twice`);
      this.#rankOfPair.set(pair, rank);
      this.#mergedId.push(merged);
    });
    if (vocabulary.length > VOCABULARY_SIZE_MAX) throw misfit(`${vocabulary.length} tokens`);
    this.vocabulary = vocabulary;
    this.padId = this.idOf(PAD_TOKEN);
    this.endId = this.idOf(END_TOKEN);
    const encoder = new TextEncoder();
    this.#bytesOfId = vocabulary.map((token, id) =>
      id < parts.specialTokens.length ? encoder.encode(token) : bytesOfToken(token)!,
    );
    // Longest first: a token that begins another does not hide it.
    const longestFirst = [...parts.specialTokens].sort((a, b) => b.length - a.length);
    this.#specialExpression = new RegExp(longestFirst.map(escapeExpression).join('|'), 'g');
  }

  get size(): number {
    return this.vocabulary.length;
  }

  /** Id of a token written over the byte alphabet, or of a special token. Throws STP1002 if it does not exist. */
  idOf(token: string): number {
    const id = this.#idOfToken.get(token);
    if (id === undefined) throw misfit(`no token ${token}`);
    return id;
  }

  /** Token ids of a text. Special tokens written in it are taken as such; no end of text is added. */
  encode(text: string): number[] {
    const ids: number[] = [];
    let start = 0;
    for (const match of text.matchAll(this.#specialExpression)) {
      this.#encodePlain(text.slice(start, match.index), ids);
      ids.push(this.#idOfToken.get(match[0])!);
      start = match.index + match[0].length;
    }
    this.#encodePlain(text.slice(start), ids);
    return ids;
  }

  /** Text of the ids; special tokens appear as written, bytes that are no UTF-8 as U+FFFD. Unknown ids give nothing. */
  decode(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.bytesOf(id))).toString('utf8');
  }

  /** UTF-8 of a token, perhaps a part of a character; of a special token as written. Unknown ids give nothing. */
  bytesOf(id: number): Uint8Array {
    return this.#bytesOfId[id] ?? new Uint8Array();
  }

  #encodePlain(text: string, ids: number[]): void {
    if (text === '') return;
    for (const word of splitWords(text)) {
      let encoded = this.#encodedWords.get(word);
      if (encoded === undefined) {
        encoded = this.#encodeWord(word);
        if (this.#encodedWords.size < CACHED_WORDS_MAX) this.#encodedWords.set(word, encoded);
      }
      for (const id of encoded) ids.push(id);
    }
  }

  /** Joins the pair of lowest rank, leftmost first, until no pair has one. */
  #encodeWord(word: string): readonly number[] {
    const byteStart = this.parts.specialTokens.length;
    const ids = Array.from(Buffer.from(word, 'utf8'), (byte) => byteStart + byte);
    for (;;) {
      let bestRank = Number.POSITIVE_INFINITY;
      let bestIndex = -1;
      for (let index = 0; index + 1 < ids.length; index++) {
        const rank = this.#rankOfPair.get(ids[index]! * VOCABULARY_SIZE_MAX + ids[index + 1]!);
        if (rank !== undefined && rank < bestRank) {
          bestRank = rank;
          bestIndex = index;
        }
      }
      if (bestIndex < 0) return ids;
      ids.splice(bestIndex, 2, this.#mergedId[bestRank]!);
    }
  }

  #mergeable(token: string): number {
    const id = this.#idOfToken.get(token);
    if (id === undefined || id < this.parts.specialTokens.length)
      throw misfit(`merge of ${token}, which is no token yet`);
    return id;
  }
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function misfit(problem: string): StpError {
  return new StpError(
    'STP1002',
    `tokenizer: ${problem}`,
    'Train the tokenizer again, or use the one of the checkpoint.',
  );
}
