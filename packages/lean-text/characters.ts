/**
 * Decides which characters Lean reads as part of an identifier, and which characters are refused in source text.
 * Follows the lexical structure of Lean 4 (reference manual, "Identifiers"). If versions differ, the wider class is
 * used, so that a word is never split into two harmless halves.
 */

const LETTER_LIKE =
  /[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0391-\u039f\u03a1\u03a2\u03a4-\u03a9\u03b1-\u03ba\u03bc-\u03c9\u03ca-\u03fb\u1f00-\u1ffe\u2100-\u214f\u{1d49c}-\u{1d59f}]/u;

const SUBSCRIPT = /[\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c]/u;

const DIGIT = /[0-9]/;

/** `λ`, `Π` and `Σ` are separate tokens, not letters of identifiers. */
export function isIdentifierStart(character: string): boolean {
  return LETTER_LIKE.test(character);
}

export function isIdentifierPart(character: string): boolean {
  return (
    LETTER_LIKE.test(character) ||
    DIGIT.test(character) ||
    character === "'" ||
    character === '!' ||
    character === '?' ||
    SUBSCRIPT.test(character)
  );
}

export function isDigit(character: string): boolean {
  return DIGIT.test(character);
}

/**
 * Control, format (zero width, direction), private, unpaired and unassigned characters, and all white space except
 * blank and line feed. Code needs none of them, and they can make a text look like another text.
 */
const REFUSED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/**
 * Characters that are refused even in comments and literals: control characters, other line breaks and changes of
 * direction make a person or a terminal see other lines than Lean reads.
 */
const DECEIVING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Returns the offset of the first character that is refused in code, or -1. Line feeds are allowed. */
export function findRefusedCharacter(text: string): number {
  return findCharacter(text, REFUSED);
}

/**
 * Returns the offset of the first character that is refused even in a comment or literal, or -1. Line feeds and tabs
 * are allowed.
 */
export function findDeceivingCharacter(text: string): number {
  return findCharacter(text, DECEIVING, 0x09);
}

function findCharacter(text: string, refused: RegExp, allowed = 0x0a): number {
  for (let offset = 0; offset < text.length; ) {
    const code = text.codePointAt(offset)!;
    const plain = (code >= 0x20 && code < 0x7f) || code === 0x0a || code === allowed;
    if (!plain && refused.test(String.fromCodePoint(code))) return offset;
    offset += code > 0xffff ? 2 : 1;
  }
  return -1;
}
