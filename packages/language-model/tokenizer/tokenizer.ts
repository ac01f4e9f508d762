/**
 * A tokenizer: text to token ids and back, with the same ids as the `tokenizers` package for the same `tokenizer.json`.
 * Hugging Face's JavaScript library encodes. This file decides which steps it gets, and knows each token's bytes, so
 * that text can be assembled while it is sampled.
 */

import { Tokenizer as Encoder } from '@huggingface/tokenizers';
import { StpError } from '@stp/base';
import { libraryFile, promptStart } from './library-file.ts';
import { END_TOKEN, PAD_TOKEN } from './special-tokens.ts';
import { tokenBytes } from './token-bytes.ts';
import type { TokenizerFile } from './tokenizer-file.ts';

/** The tokens with a meaning for an engine, which the tokenizer's file does not state. */
export interface TokenizerMarks {
  /** Ids that end a text. */
  readonly endIds: readonly number[];
  /** The padding token's id, or null if the model has none. */
  readonly padId: number | null;
}

export class Tokenizer {
  /** Contents of `tokenizer.json`. */
  readonly file: TokenizerFile;
  /** Each id's token as the file writes it; '' for an unused id. */
  readonly vocabulary: readonly string[];
  /** Special tokens by id: a text is split at them first. */
  readonly specialTokens: ReadonlyMap<number, string>;
  readonly endIds: ReadonlySet<number>;
  /** The padding token. Never sampled, unless it also ends texts. */
  readonly padId: number;
  readonly #encoder: Encoder;
  readonly #idOfToken: ReadonlyMap<string, number>;
  readonly #bytesOfId: readonly Uint8Array[];
  /** Ids at the start of a whole text, such as a start token. */
  readonly #start: readonly number[];
  /** Whether decoding a whole text removes a space at its start. */
  readonly #dropsFirstSpace: boolean;

  /** Throws STP1002 if the file contradicts itself, and an `Error` if the library does not support it. */
  constructor(file: TokenizerFile, marks?: TokenizerMarks) {
    this.file = file;
    const vocabulary: string[] = [];
    const add = (token: string, id: number): void => {
      if (vocabulary[id] !== undefined && vocabulary[id] !== token)
        throw misfit(`the id ${id} is of ${JSON.stringify(vocabulary[id])} and of ${JSON.stringify(token)}`);
      vocabulary[id] = token;
    };
    for (const [token, id] of Object.entries(file.model.vocab)) add(token, id);
    for (const { content, id } of file.added_tokens) add(content, id);
    if (vocabulary.length === 0) throw misfit('it has no tokens');
    this.vocabulary = Array.from(vocabulary, (token) => token ?? '');
    this.#idOfToken = new Map([
      ...Object.entries(file.model.vocab),
      ...file.added_tokens.map(({ content, id }) => [content, id] as const),
    ]);
    this.specialTokens = new Map(
      file.added_tokens.filter(({ special }) => special).map((one) => [one.id, one.content]),
    );
    const { endIds, padId } = marks ?? { endIds: [this.idOf(END_TOKEN)], padId: this.idOf(PAD_TOKEN) };
    const unknown = [...endIds, ...(padId === null ? [] : [padId])].find((id) => !this.vocabulary[id]);
    if (unknown !== undefined) throw misfit(`no token has the id ${unknown}, which the model gives a meaning`);
    if (endIds.length === 0) throw misfit('no token ends a text');
    this.endIds = new Set(endIds);
    this.padId = padId ?? endIds[0]!;
    this.#encoder = new Encoder(libraryFile(file), {});
    this.#start = promptStart(file).map((token) => this.idOf(token));
    const { bytesOf, dropsFirstSpace } = tokenBytes(file.decoder);
    this.#bytesOfId = this.vocabulary.map((token) => bytesOf(token));
    this.#dropsFirstSpace = dropsFirstSpace;
  }

  /** One more than the largest id. */
  get size(): number {
    return this.vocabulary.length;
  }

  /** The first id that ends a text; training puts it after each example. */
  get endId(): number {
    return this.endIds.values().next().value!;
  }

  /** Returns the id of a token as the file writes it. Throws STP1002 if it does not exist. */
  idOf(token: string): number {
    const id = this.#idOfToken.get(token);
    if (id === undefined) throw misfit(`no token ${token}`);
    return id;
  }

  /** Encodes a piece of text. Special tokens in it are recognised; no start or end is added. */
  encode(text: string): number[] {
    return text === '' ? [] : this.#encoder.encode(text, { add_special_tokens: false }).ids;
  }

  /** Encodes a whole text: adds the model's start tokens, unless the text has them already. */
  encodePrompt(text: string): number[] {
    const ids = this.encode(text);
    return this.#start.every((id, at) => ids[at] === id) ? ids : [...this.#start, ...ids];
  }

  /** Decodes ids. Special tokens appear as written, invalid UTF-8 as U+FFFD; unknown ids are ignored. */
  decode(ids: readonly number[]): string {
    const text = Buffer.concat(ids.map((id) => this.bytesOf(id))).toString('utf8');
    return this.#dropsFirstSpace && text.startsWith(' ') ? text.slice(1) : text;
  }

  /**
   * Returns a token's UTF-8, perhaps a part of a character; a special token's as written. Unknown ids give no bytes.
   */
  bytesOf(id: number): Uint8Array {
    return this.#bytesOfId[id] ?? new Uint8Array();
  }
}

function misfit(problem: string): StpError {
  return new StpError(
    'STP1002',
    `tokenizer: ${problem}`,
    'Train the tokenizer again, or use the one of the checkpoint.',
  );
}
