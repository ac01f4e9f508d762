/** Keys of texts in maps. */
import { createHash } from 'node:crypto';

/** The engine hashes longer texts by their length alone. */
const HASHED_LENGTH_MAX = 10_000;

/** The text itself, or a digest of a long one; different texts have different keys. */
export function textKey(text: string): string {
  if (text.length <= HASHED_LENGTH_MAX) return text;
  // Longer than every text that stands for itself, so that no such text can be the key of another.
  return createHash('sha512')
    .update(text, 'utf16le')
    .digest('hex')
    .padEnd(HASHED_LENGTH_MAX + 1, '.');
}
