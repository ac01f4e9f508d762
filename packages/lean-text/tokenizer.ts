/**
 * A tokenizer of Lean 4 source: nested comments, strings with escapes and with interpolation, raw strings, characters,
 * «quoted» identifiers, Unicode identifiers, numerals and symbols. It handles no grammar and no user notation: a symbol
 * of several characters (`:=`, `<;>`) becomes several tokens. It never throws. The tokens and the white space between
 * them are exactly the text.
 */
import { isDigit, isIdentifierPart, isIdentifierStart } from './characters.ts';

type TokenKind =
  /** A dotted name or a keyword, including `«…»` components. */
  | 'word'
  | 'number'
  | 'string'
  | 'character'
  | 'comment'
  /** A single character of no other kind. */
  | 'symbol'
  /** An unterminated comment, string, character or `«`, which extends to the end of the text. */
  | 'unterminated';

export interface Token {
  readonly kind: TokenKind;
  /** Offset of the first UTF-16 unit; `end` is the offset after the last. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * For a string: it contains a `{` and has no interpolating prefix (`s!"…"` and similar), so Lean may read it as
   * interpolated or not.
   */
  readonly ambiguous?: boolean;
}

const NUMBER = /0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9_]+)?/y;
/** Matches words directly before a string that make it interpolated. */
const INTERPOLATING = /^[smf]!$/;
/** Maximum nesting of interpolations; deeper text is `unterminated`. */
const INTERPOLATION_DEPTH_MAX = 16;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < text.length) {
    const space = /[ \t\r\n]+/y;
    space.lastIndex = offset;
    offset += space.exec(text)?.[0].length ?? 0;
    if (offset >= text.length) break;
    const previous = tokens.at(-1);
    const interpolates =
      previous?.kind === 'word' && previous.end === offset && INTERPOLATING.test(previous.text) && text[offset] === '"';
    const token = interpolates ? readInterpolated(text, offset, 0) : readToken(text, offset);
    tokens.push(token);
    offset = token.end;
  }
  return tokens;
}

/** `/-- … -/` and `/-! … -/` are tokens of Lean's grammar, not white space. */
export function isDocComment({ kind, text }: Token): boolean {
  return kind === 'comment' && /^\/-[-!]/.test(text);
}

function make(kind: TokenKind, text: string, start: number, end: number): Token {
  return { kind, start, end, text: text.slice(start, end) };
}

function unterminated(text: string, start: number): Token {
  return make('unterminated', text, start, text.length);
}

function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function readToken(text: string, start: number): Token {
  const first = characterAt(text, start);
  const second = text[start + first.length] ?? '';
  if (first === '-' && second === '-') return readLineComment(text, start);
  if (first === '/' && second === '-') return readBlockComment(text, start);
  if (first === '"') return readString(text, start);
  if (first === 'r' && (second === '"' || second === '#')) {
    const raw = readRawString(text, start);
    if (raw !== null) return raw;
  }
  if (first === "'") return readCharacter(text, start);
  if (isDigit(first)) {
    NUMBER.lastIndex = start;
    return make('number', text, start, start + (NUMBER.exec(text)?.[0].length ?? 1));
  }
  if (first === '«' || isIdentifierStart(first)) return readWord(text, start);
  return make('symbol', text, start, start + first.length);
}

function readLineComment(text: string, start: number): Token {
  const end = text.indexOf('\n', start);
  return make('comment', text, start, end < 0 ? text.length : end);
}

/**
 * As in Lean, the character after `/-` belongs to the opener: `/--/` and `/-!/` open a doc comment and do not close it,
 * and the third character of `/-/- a -/` opens no inner comment.
 */
function readBlockComment(text: string, start: number): Token {
  let depth = 1;
  for (let offset = start + 3; offset < text.length; ) {
    const pair = text.slice(offset, offset + 2);
    if (pair === '/-') depth += 1;
    else if (pair === '-/') depth -= 1;
    offset += pair === '/-' || pair === '-/' ? 2 : 1;
    if (depth === 0) return make('comment', text, start, offset);
  }
  return unterminated(text, start);
}

function readString(text: string, start: number): Token {
  let ambiguous = false;
  for (let offset = start + 1; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === '\\') offset += 1;
    else if (character === '{') ambiguous = true;
    else if (character === '"') {
      const token = make('string', text, start, offset + 1);
      return ambiguous ? { ...token, ambiguous } : token;
    }
  }
  return unterminated(text, start);
}

/**
 * Reads a string token from its opening quote. Text in braces is read as tokens, so a quote in it does not end the
 * string.
 */
function readInterpolated(text: string, start: number, depth: number): Token {
  if (depth > INTERPOLATION_DEPTH_MAX) return unterminated(text, start);
  for (let offset = start + 1; offset < text.length; ) {
    const character = text[offset];
    if (character === '\\') offset += 2;
    else if (character === '"') return make('string', text, start, offset + 1);
    else if (character === '{') {
      const end = skipHole(text, offset + 1, depth + 1);
      if (end < 0) return unterminated(text, start);
      offset = end;
    } else offset += 1;
  }
  return unterminated(text, start);
}

/** Returns the offset after the `}` that closes a hole, or -1. */
function skipHole(text: string, start: number, depth: number): number {
  let open = 1;
  let previous: Token | null = null;
  for (let offset = start; offset < text.length; ) {
    if (/\s/.test(text[offset]!)) {
      offset += 1;
      continue;
    }
    const interpolates: boolean =
      previous?.kind === 'word' && previous.end === offset && INTERPOLATING.test(previous.text) && text[offset] === '"';
    const token: Token = interpolates ? readInterpolated(text, offset, depth) : readToken(text, offset);
    if (token.kind === 'unterminated') return -1;
    if (token.text === '{') open += 1;
    if (token.text === '}') open -= 1;
    if (open === 0) return token.end;
    previous = token;
    offset = token.end;
  }
  return -1;
}

/** Reads `r"…"` or `r#"…"#`; null if an `r` followed by `#` is not a raw string. */
function readRawString(text: string, start: number): Token | null {
  let quote = start + 1;
  while (text[quote] === '#') quote += 1;
  if (text[quote] !== '"') return null;
  const close = `"${'#'.repeat(quote - start - 1)}`;
  const end = text.indexOf(close, quote + 1);
  return end < 0 ? unterminated(text, start) : make('string', text, start, end + close.length);
}

/**
 * Reads `'a'`, `'\n'`, `'\x41'` or `'\u0041'`. A lone quote is a symbol, as is the quote in `xs[i]'h`, where `]'` is
 * one token of Lean.
 */
function readCharacter(text: string, start: number): Token {
  if (text[start - 1] === ']') return make('symbol', text, start, start + 1);
  const literal = /'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^xu])|[^\\'])'/uy;
  literal.lastIndex = start;
  const found = literal.exec(text);
  return found === null
    ? make('symbol', text, start, start + 1)
    : make('character', text, start, start + found[0].length);
}

function readWord(text: string, start: number): Token {
  let offset = start;
  for (;;) {
    if (text[offset] === '«') {
      const close = text.indexOf('»', offset);
      if (close < 0) return unterminated(text, start);
      offset = close + 1;
    } else {
      while (offset < text.length) {
        const character = characterAt(text, offset);
        if (!isIdentifierPart(character)) break;
        offset += character.length;
      }
    }
    const next = characterAt(text, offset + 1);
    if (text[offset] !== '.' || !(next === '«' || isIdentifierStart(next))) return make('word', text, start, offset);
    offset += 1;
  }
}

/** Returns the components of a dotted name without `«»`, which identify the name however it is written. */
export function nameParts(word: string): string[] {
  return [...word.matchAll(/«([^»]*)»|([^.«]+)/gu)].map((match) => match[1] ?? match[2] ?? '');
}

/** Returns the 1-based line and 0-based column (in code points) of an offset, as Lean counts them. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: [...before.slice(before.lastIndexOf('\n') + 1)].length };
}
