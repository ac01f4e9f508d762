/**
 * Reads the header of a file (`module`, `prelude`, imports) as Lean's own parser does: `optional "module" >> optional
 * "prelude" >> many import`, each word with the white space after it. That parser does not accept tabs and lone
 * carriage returns as white space, and fails on half an import. `packages/lean-verifier/serve/headers.process.test.ts`
 * compares the two.
 */
import { isDocComment, nameParts, type Token, tokenize } from './tokenizer.ts';

/** `module`, `prelude`, or an import with its modifiers. */
export interface HeaderCommand {
  /** Its words, separated by single spaces: `public import Foo`. */
  readonly text: string;
  /** Offset of its first UTF-16 unit; `end` is the offset after its last. */
  readonly start: number;
  readonly end: number;
}

export interface ImportedModule extends HeaderCommand {
  /** With dots, without `«»`. */
  readonly name: string;
}

export interface FileHeader {
  readonly isModule: boolean;
  readonly isPrelude: boolean;
  readonly imports: readonly ImportedModule[];
  /** All commands of the header in order, including imports. */
  readonly commands: readonly HeaderCommand[];
  /** Offset after its last word. */
  readonly end: number;
  /** The text at which Lean's parser fails, or null. */
  readonly broken: BrokenHeader | null;
}

/** The offsets of the text at which a header cannot be read further. */
export class BrokenHeader extends Error {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    super('Lean cannot read the header');
    this.start = start;
    this.end = end;
  }
}

/**
 * `text` must have line feeds only; `tokens` are all of its tokens. Text that does not fit belongs to the part below
 * the header.
 */
export function readHeader(text: string, tokens: readonly Token[] = tokenize(text)): FileHeader {
  const reader = new HeaderReader(text, tokens);
  let broken: BrokenHeader | null = null;
  try {
    reader.read();
  } catch (error) {
    if (!(error instanceof BrokenHeader)) throw error;
    broken = error;
  }
  const has = (word: string): boolean => reader.commands.some((command) => command.text === word);
  return {
    isModule: has('module'),
    isPrelude: has('prelude'),
    imports: reader.imports,
    commands: reader.commands,
    end: reader.commands.at(-1)?.end ?? 0,
    broken,
  };
}

const REFUSED_BLANK = /[\t\r]/;
/** Matches longer tokens of Lean that begin with a dot after a name; they do not belong to an import. */
const LONGER_POINT = /^\.[.({]/;
/** Matches a number, string or character that Lean abandons in its middle. */
const BROKEN_WORD = /^(?:[0-9].*_$|["'].*\\)/su;
/** Number of characters that Lean examines if a text begins like a character literal. */
const QUOTE_CHARS = 4;
const NUMBER_GOES_ON = /[xXbBoOeE]/;

class HeaderReader {
  readonly #code: string;
  readonly #tokens: readonly Token[];
  readonly commands: HeaderCommand[] = [];
  readonly imports: ImportedModule[] = [];
  #index = 0;
  /** Offset after the last word, comment or blank that was read. */
  #offset = 0;

  constructor(code: string, tokens: readonly Token[]) {
    this.#code = code;
    this.#tokens = tokens;
  }

  read(): void {
    if (!this.#readWord('module')) this.#failOnBrokenWord();
    if (!this.#readWord('prelude') && this.commands.length <= 1) this.#failOnBrokenWord();
    while (this.#readImport());
  }

  /** Returns the next word after white space and comments; null at the end of the text. */
  #peek(): Token | null {
    for (;;) {
      const token = this.#tokens[this.#index];
      const blank = this.#code.slice(this.#offset, token?.start).search(REFUSED_BLANK);
      if (blank >= 0) throw new BrokenHeader(this.#offset + blank, this.#offset + blank + 1);
      if (token?.kind === 'unterminated' && /^\/-(?![-!])/.test(token.text))
        throw new BrokenHeader(token.start, token.end);
      if (token === undefined || token.kind !== 'comment' || isDocComment(token)) return token ?? null;
      this.#pass(token);
    }
  }

  #pass(token: Token): void {
    this.#index += 1;
    this.#offset = token.end;
  }

  /** Consumes and returns the next word if it is this one. */
  #take(word: string): Token[] {
    const token = this.#peek();
    if (token?.text !== word) return [];
    this.#pass(token);
    return [token];
  }

  #readWord(word: string): boolean {
    const part = this.#take(word);
    if (part.length > 0) this.commands.push(commandOf(part));
    return part.length > 0;
  }

  /** Reads imports. Text without the word `import` is not consumed. */
  #readImport(): boolean {
    this.#peek();
    const readHead = (): Token[] => [...this.#take('public'), ...this.#take('meta'), ...this.#take('import')];
    if (this.#back(readHead).at(-1)?.text !== 'import') return false;
    const head = [...readHead(), ...this.#take('all')];
    const name = this.#peek();
    if (name?.kind !== 'word') throw this.#brokenAt(name);
    this.#pass(name);
    const behind = this.#tokens[this.#index];
    if (behind?.start === name.end && behind.kind !== 'comment') {
      // Lean expects a name after a `.`.
      if (behind.text === '.' && !LONGER_POINT.test(this.#code.slice(behind.start, behind.start + 2))) {
        this.#pass(behind);
        throw this.#brokenAt(this.#peek());
      }
      this.#failOnBrokenWord();
    }
    const command = { ...commandOf([...head, name]), name: nameParts(name.text).join('.') };
    this.commands.push(command);
    this.imports.push(command);
    return true;
  }

  /**
   * Where `module`, `prelude` or a dot may stand, Lean reads a complete word with its blanks, and cannot backtrack from
   * half a word.
   */
  #failOnBrokenWord(): void {
    const token = this.#peek();
    if (token === null || token.kind === 'comment') return;
    const isHalf =
      (token.kind === 'unterminated' && !/^(?:["/]|r[#"])/.test(token.text)) ||
      token.text === "'" ||
      BROKEN_WORD.test(token.text) ||
      (token.kind === 'number' && NUMBER_GOES_ON.test(this.#code[token.end] ?? ''));
    if (isHalf) throw this.#brokenAt(token);
    this.#back(() => {
      this.#pass(token);
      // Lean joins symbols to longer tokens.
      for (let next = token; next.kind === 'symbol'; this.#pass(next)) {
        const joined = this.#tokens[this.#index];
        if (joined?.kind !== 'symbol' || joined.start !== next.end) break;
        next = joined;
      }
      this.#peek();
    });
  }

  /** Reads and then resets the position. */
  #back<T>(read: () => T): T {
    const index = this.#index;
    const offset = this.#offset;
    const value = read();
    this.#index = index;
    this.#offset = offset;
    return value;
  }

  /** Returns where the header is broken, including text that may belong to the same token of Lean. */
  #brokenAt(token: Token | null): BrokenHeader {
    if (token === null) return new BrokenHeader(this.#code.length, this.#code.length);
    if (token.text === "'") return new BrokenHeader(token.start, token.start + QUOTE_CHARS);
    const next = this.#tokens[this.#tokens.indexOf(token) + 1];
    const isJoined = token.kind !== 'word' && next?.kind === 'word' && next.start === token.end;
    return new BrokenHeader(token.start, isJoined ? next.end : token.end);
  }
}

function commandOf(words: readonly Token[]): HeaderCommand {
  return { text: words.map(({ text }) => text).join(' '), start: words[0]!.start, end: words.at(-1)!.end };
}
