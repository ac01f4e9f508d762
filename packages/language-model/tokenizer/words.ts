/**
 * Splits a text into the pieces that merges stay within. Made for Lean: a newline keeps the indentation after it, an
 * identifier takes the space or dot before it (` add_comm`, `.succ`), a digit is a piece of its own, symbols run
 * together. The pieces cover the text. White space is spelled out so that other regular-expression engines split alike.
 */

/**
 * Pattern of words, in the syntax common to ECMAScript (flag u) and Oniguruma (the `tokenizers` package). Repetitions
 * are bounded: merging takes time quadratic in a piece, and a text may come from anywhere.
 */
export const WORD_PATTERN =
  "\\n {0,32}| ?\\.?[\\p{L}_][\\p{L}\\p{M}_'!?₀₁₂₃₄₅₆₇₈₉]{0,47}| ?\\p{Nd}| ?\\.{1,16}| ?[^ \\t\\r\\n\\p{L}\\p{Nd}_.]{1,16}|[ \\t\\r\\n]";

const wordExpression = new RegExp(WORD_PATTERN, 'gu');

export function splitWords(text: string): readonly string[] {
  return text.match(wordExpression) ?? [];
}
