/**
 * Tests whether a quotation is in a text. Runs of white space count as one space, and characters are compared in
 * Unicode's composed form.
 */

/** Shorter quotations occur in most texts and prove nothing. */
const QUOTE_CHARS_MIN = 8;

const plain = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();

/** Null if the quotation is in the text; else what is wrong with it. */
export function quoteProblem(quote: string, text: string): string | null {
  const [sought, whole] = [plain(quote), plain(text)];
  if (sought.length < Math.min(QUOTE_CHARS_MIN, whole.length)) return `the quotation "${sought}" is too short`;
  return whole.includes(sought) ? null : `"${sought.slice(0, 120)}" is not in the proof`;
}
