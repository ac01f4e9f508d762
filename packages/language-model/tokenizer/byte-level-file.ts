/** The `tokenizer.json` of byte-level byte-pair encoding, for tokenizers trained here and for those of GGUF files. */
import type { PreTokenizer, TokenizerFile } from './tokenizer-file.ts';

export interface ByteLevelTokenizer {
  /** Tokens by id. */
  readonly tokens: readonly string[];
  /** Tokens that are matched as a whole. Special ones end or frame texts. */
  readonly added: readonly { readonly id: number; readonly content: string; readonly special: boolean }[];
  readonly preTokenizers: readonly PreTokenizer[];
  /**
   * Merges by rank: two tokens over the byte alphabet, separated by a space, which every version of `tokenizers`
   * reads.
   */
  readonly merges: readonly string[];
}

export function byteLevelFile({ tokens, added, preTokenizers, merges }: ByteLevelTokenizer): TokenizerFile {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map(({ id, content, special }) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [...preTokenizers] },
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
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [...merges],
    },
  };
}
