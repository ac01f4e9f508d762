/**
 * The `tokenizer.json` of the tokenizers that this project trains: byte-level byte-pair encoding after the pattern of
 * `words.ts`. Ids are the special tokens, the 256 bytes, then one for each merge that makes a new token.
 */
import { byteLevelFile } from './byte-level-file.ts';
import { BYTE_ALPHABET } from './bytes.ts';
import { Tokenizer } from './tokenizer.ts';
import { WORD_PATTERN } from './words.ts';

/** @param merges by rank: two tokens over the byte alphabet that become one */
export function ownTokenizer(
  specialTokens: readonly string[],
  merges: readonly (readonly [string, string])[],
): Tokenizer {
  const vocabulary = new Set([...specialTokens, ...BYTE_ALPHABET, ...merges.map(([left, right]) => left + right)]);
  const file = byteLevelFile({
    tokens: [...vocabulary],
    added: specialTokens.map((content, id) => ({ id, content, special: true })),
    preTokenizers: [
      { type: 'Split', pattern: { Regex: WORD_PATTERN }, behavior: 'Isolated', invert: false },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
    ],
    // No token over the byte alphabet contains a space.
    merges: merges.map(([left, right]) => `${left} ${right}`),
  });
  return new Tokenizer(file);
}
