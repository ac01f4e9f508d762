/**
 * The tokenizers that this project trains, as a `tokenizer.json`: byte-level byte-pair encoding behind the pattern of
 * `words.ts`. Ids are the special tokens, the 256 bytes, then one for each merge that spells a new token.
 */
import { BYTE_ALPHABET } from './bytes.ts';
import { Tokenizer } from './tokenizer.ts';
import type { TokenizerFile } from './tokenizer-file.ts';
import { WORD_PATTERN } from './words.ts';

/** @param merges by rank: two tokens over the byte alphabet that become one */
export function ownTokenizer(
  specialTokens: readonly string[],
  merges: readonly (readonly [string, string])[],
): Tokenizer {
  const vocabulary = new Set([...specialTokens, ...BYTE_ALPHABET, ...merges.map(([left, right]) => left + right)]);
  const file: TokenizerFile = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: WORD_PATTERN }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries([...vocabulary].map((token, id) => [token, id])),
      // Two tokens and a space: read by every version of `tokenizers`. No token over the byte alphabet holds a space.
      merges: merges.map(([left, right]) => `${left} ${right}`),
    },
  };
  return new Tokenizer(file);
}
