/**
 * The classes of tokens that may be written into a file for Lean, and their form: names and keywords without `«»`,
 * numerals, strings and characters (printed by `literals.ts`), and single symbols. A token that Lean could read in more
 * than one way is refused, so that Lean reads the same tokens as we do.
 */

import { isDocComment, type Token } from '@stp/lean-text';
import type { Finding } from './finding.ts';
import { printLiteral } from './literals.ts';

const PLAIN_NUMBER =
  /^(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
/** Characters that a literal may follow. After a word, `!` or `r#` it would be another kind of literal. */
const BEFORE_LITERAL = /[\s([{⟨,]/u;
const SYMBOL = /^[\p{L}\p{N}\p{S}\p{P}]$/u;
/** Quotation marks of syntax quotations and of quoted names. */
const REFUSED_SYMBOLS = '`"«»';
/**
 * `xs[i]'h` contains a token of Lean; `f ⁻¹' s`, `∑' n` and `∏' n` contain tokens of Mathlib, followed by white space
 * or a bracket.
 */
const BEFORE_QUOTE = ']¹∑∏';
const AFTER_QUOTE = /[\s([{⟨]/u;

/** Returns the first token of `tokens` (which may include comments) that is in none of the classes, or null. */
export function findUnplain(text: string, tokens: readonly Token[]): Finding | null {
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1];
    // Comments are printed as blanks.
    const isGlued = previous !== undefined && previous.end === token.start && previous.kind !== 'comment';
    const before = isGlued ? previous.text.at(-1)! : ' ';
    const reason = unplain(token, before, text[token.end] ?? '\n');
    if (reason !== null) return { offset: token.start, reason };
  }
  return null;
}

function unplain(token: Token, before: string, after: string): string | null {
  switch (token.kind) {
    case 'word':
      return /[«»]/u.test(token.text) ? 'has a quoted name' : null;
    case 'number':
      if (!PLAIN_NUMBER.test(token.text)) return 'has a numeral in an unusual form';
      return null;
    case 'string':
      if (printLiteral(token) === null) return 'has a string that is raw, or no string of Lean: write it with escapes';
      return BEFORE_LITERAL.test(before) ? null : 'has a string right after something';
    case 'character':
      if (printLiteral(token) === null) return 'has a character literal that is none of Lean: write it as an escape';
      return BEFORE_LITERAL.test(before) ? null : 'has a character literal right after something';
    case 'comment':
      return isDocComment(token) ? 'has a doc comment, which is no comment to Lean' : null;
    case 'unterminated':
      return 'opens a comment, string or quoted name that does not end';
    case 'symbol':
      if (token.text === "'") return isQuoteToken(before, after) ? null : 'has a quote that belongs to nothing';
      if (REFUSED_SYMBOLS.includes(token.text) || !SYMBOL.test(token.text)) return `has the symbol ${token.text}`;
      return null;
  }
}

/** Whether a quote ends `]'`, `⁻¹'` or `∑'`, or belongs to `f '' s`. */
function isQuoteToken(before: string, after: string): boolean {
  if (before === ']') return after !== "'" && after !== '\\';
  if (before === "'" || BEFORE_QUOTE.includes(before)) return AFTER_QUOTE.test(after);
  return after === "'" && /\s/.test(before);
}
