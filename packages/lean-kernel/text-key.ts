/** Map keys for texts. */
import { createHash } from 'node:crypto';

/** The JavaScript engine hashes longer texts by their length only. */
const HASHED_LENGTH_MAX = 10_000;

/** Returns the text, or a digest of a long text. Different texts have different keys. */
export function textKey(text: string): string {
  if (text.length <= HASHED_LENGTH_MAX) return text;
  // A digest key is longer than every text that is its own key, so the two never coincide.
  return createHash('sha512')
    .update(text, 'utf16le')
    .digest('hex')
    .padEnd(HASHED_LENGTH_MAX + 1, '.');
}
