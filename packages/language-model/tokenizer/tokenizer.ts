/**
 * A tokenizer: text to token ids and back, with the ids that the `tokenizers` package gives for the same
 * `tokenizer.json`. Hugging Face's own library in JavaScript encodes; this file says which steps it takes, and knows
 * the bytes of each token, so that a text can be put together while it is sampled.
 */

import { Tokenizer as Encoder } from '@huggingface/tokenizers';
import { StpError } from '@stp/base';
import { libraryFile, promptStart } from './library-file.ts';
import { END_TOKEN, PAD_TOKEN } from './special-tokens.ts';
import { tokenBytes } from './token-bytes.ts';
import type { TokenizerFile } from './tokenizer-file.ts';

/** The tokens of a tokenizer that mean something to an engine; its file does not say which they are. */
export interface TokenizerMarks {
  /** Ids that end a text. */
  readonly endIds: readonly number[];
  /** Id that fills up a batch, or null where the model has none. */
  readonly padId: number | null;
}

export class Tokenizer {
  /** Contents of `tokenizer.json`. */
  readonly file: TokenizerFile;
  /** Token of each id as its file writes it; an id that no token has gives ''. */
  readonly vocabulary: readonly string[];
  /** Tokens with a meaning of their own, by id: a text is cut at them before anything else. */
  readonly specialTokens: ReadonlyMap<number, string>;
  readonly endIds: ReadonlySet<number>;
  /** Fills up a batch. Never sampled, unless it ends texts as well. */
  readonly padId: number;
  readonly #encoder: Encoder;
  readonly #idOfToken: ReadonlyMap<string, number>;
  readonly #bytesOfId: readonly Uint8Array[];
  /** Ids that a whole text begins with: a token that means its start. */
  readonly #start: readonly number[];
  /** Whether a text as a whole loses a space at its start when it is decoded. */
  readonly #dropsFirstSpace: boolean;

  /** Throws STP1002 when the file contradicts itself, and an `Error` when the library does not know what it asks for. */
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

  /** The first of the ids that end a text: what a training puts behind an example. */
  get endId(): number {
    return this.endIds.values().next().value!;
  }

  /** Id of a token as its file writes it. Throws STP1002 if it does not exist. */
  idOf(token: string): number {
    const id = this.#idOfToken.get(token);
    if (id === undefined) throw misfit(`no token ${token}`);
    return id;
  }

  /** Token ids of a piece of text. Special tokens written in it are taken as such; no start or end is added. */
  encode(text: string): number[] {
    return text === '' ? [] : this.#encoder.encode(text, { add_special_tokens: false }).ids;
  }

  /** Token ids of a text from its start: what begins every text of the model comes first, unless the text has it already. */
  encodePrompt(text: string): number[] {
    const ids = this.encode(text);
    return this.#start.every((id, at) => ids[at] === id) ? ids : [...this.#start, ...ids];
  }

  /** Text of the ids; special tokens appear as written, bytes that are no UTF-8 as U+FFFD. Unknown ids give nothing. */
  decode(ids: readonly number[]): string {
    const text = Buffer.concat(ids.map((id) => this.bytesOf(id))).toString('utf8');
    return this.#dropsFirstSpace && text.startsWith(' ') ? text.slice(1) : text;
  }

  /** UTF-8 of a token, perhaps a part of a character; of a special token as written. Unknown ids give nothing. */
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
