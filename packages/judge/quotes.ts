/** Tests whether a quotation is in a text. White space is collapsed, and both are in Unicode's composed form (NFC). */

/** Shorter quotations occur in most texts and prove nothing. */
const QUOTE_CHARS_MIN = 8;

const plain = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();

/** Returns null if the quotation is in the text, else the problem. */
export function quoteProblem(quote: string, text: string): string | null {
  const [sought, whole] = [plain(quote), plain(text)];
  if (sought.length < Math.min(QUOTE_CHARS_MIN, whole.length)) return `the quotation "${sought}" is too short`;
  return whole.includes(sought) ? null : `"${sought.slice(0, 120)}" is not in the proof`;
}
