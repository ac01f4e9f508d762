/**
 * Prints string and character literals for Lean: letters, digits and plain punctuation unchanged, every other character
 * as an escape. A printed literal contains no quote, brace, comment sign or line break, and means the same if Lean
 * reads it as interpolated. A reader that misreads its opening quote finds nothing in it.
 */
import type { Token } from '@stp/lean-text';

const PLAIN = 'A-Za-z0-9 _.,:;?+*=<>';
/** Letters and symbols that do not occur in quotes, brackets or comments. Those beyond U+FFFF have no escape. */
const RAW = '[\\p{L}\\p{N}\\p{Sm}\\p{So}\\p{Sc}\\p{Sk}\\u{10000}-\\u{10ffff}]';
const ESCAPED = '\\\\(?:[nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})';
const ONE = `(?:[${PLAIN}]|(?![\\x00-\\x7f])${RAW}|${ESCAPED})`;
/** Characters that a literal may follow. After a word, `!` or `r#` it would be another kind of literal. */
const BEFORE = '(?<=^|[\\s([{⟨,])';

/** These match printed literals within a text. */
export const PRINTED_STRING = new RegExp(`${BEFORE}"${ONE}*"`, 'gmu');
export const PRINTED_CHARACTER = new RegExp(`${BEFORE}'${ONE}'`, 'gmu');

const WHOLE = new RegExp(`^${ONE}$`, 'u');
/** Matches a part between the quotes: an escape, a gap (an escaped line break), or a character. */
const PART = /\\(?:[\\"'nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|\n[ \t]*(?!\s))|[^\\]/suy;
/** Matches escapes of a quote or a backslash. */
const QUOTED = /^\\[\\"']$/u;

/**
 * Returns the literal as it is passed to Lean. Null if Lean has no such literal, or if it is not supported (a raw
 * string).
 */
export function printLiteral({ kind, text }: Pick<Token, 'kind' | 'text'>): string | null {
  const quote = kind === 'string' ? '"' : "'";
  if (!text.startsWith(quote)) return null;
  const end = text.length - 1;
  let printed = '';
  PART.lastIndex = 1;
  while (PART.lastIndex < end) {
    const part = PART.exec(text)?.[0];
    if (part === undefined) return null;
    const piece = printPart(part);
    if (piece === null) return null;
    printed += piece;
  }
  return quote + printed + quote;
}

function printPart(part: string): string | null {
  if (part.startsWith('\\\n')) return '';
  const character = QUOTED.test(part) ? part[1]! : part;
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (WHOLE.test(character)) return character;
  const code = character.codePointAt(0)!;
  if (code > 0xffff) return null;
  return code > 0xff ? `\\u${hex(code, 4)}` : `\\x${hex(code, 2)}`;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
