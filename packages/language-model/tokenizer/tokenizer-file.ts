/**
 * Reads and writes a tokenizer as Hugging Face's `tokenizer.json` (version 1.0, byte-level BPE). Reads only the kind it
 * writes; a foreign file is checked field by field before use.
 */

import { describeIssues } from '@stp/base';
import { z } from 'zod';
import { damaged, foreign } from '../damaged.ts';
import { TOKEN_CHARS_MAX, Tokenizer, VOCABULARY_SIZE_MAX } from './tokenizer.ts';
import { WORD_PATTERN } from './words.ts';

/** 65,536 tokens and merges of some ten characters are about 3 MB. */
const FILE_CHARS_MAX = 16 * 1024 * 1024;
const SPECIAL_TOKENS_MAX = 256;

const preTokenizer = {
  type: 'Sequence',
  pretokenizers: [
    { type: 'Split', pattern: { Regex: WORD_PATTERN }, behavior: 'Isolated', invert: false },
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
  ],
} as const;
const decoder = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true } as const;

const fileSchema = z.strictObject({
  version: z.literal('1.0'),
  truncation: z.null(),
  padding: z.null(),
  added_tokens: z
    .array(
      z.strictObject({
        id: z.int().nonnegative(),
        content: z.string().regex(/^[!-~]{2,64}$/),
        single_word: z.literal(false),
        lstrip: z.literal(false),
        rstrip: z.literal(false),
        normalized: z.literal(false),
        special: z.literal(true),
      }),
    )
    .max(SPECIAL_TOKENS_MAX),
  normalizer: z.null(),
  pre_tokenizer: z.strictObject({
    type: z.literal('Sequence'),
    pretokenizers: z.tuple([
      z.strictObject({
        type: z.literal('Split'),
        pattern: z.strictObject({ Regex: z.literal(WORD_PATTERN) }),
        behavior: z.literal('Isolated'),
        invert: z.literal(false),
      }),
      z.strictObject({
        type: z.literal('ByteLevel'),
        add_prefix_space: z.literal(false),
        trim_offsets: z.boolean(),
        use_regex: z.literal(false),
      }),
    ]),
  }),
  post_processor: z.null(),
  decoder: z.looseObject({ type: z.literal('ByteLevel') }),
  model: z.strictObject({
    type: z.literal('BPE'),
    dropout: z.null(),
    unk_token: z.null(),
    continuing_subword_prefix: z.null(),
    end_of_word_suffix: z.null(),
    fuse_unk: z.literal(false),
    byte_fallback: z.literal(false),
    ignore_merges: z.literal(false),
    vocab: z.record(z.string().min(1).max(TOKEN_CHARS_MAX), z.int().nonnegative()),
    merges: z.array(z.string().max(2 * TOKEN_CHARS_MAX + 1)).max(VOCABULARY_SIZE_MAX),
  }),
});

/** Text of `tokenizer.json`; the same tokenizer gives the same text. */
export function writeTokenizer(tokenizer: Tokenizer): string {
  const { specialTokens, merges } = tokenizer.parts;
  const file: z.infer<typeof fileSchema> = {
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
    pre_tokenizer: { ...preTokenizer, pretokenizers: [...preTokenizer.pretokenizers] },
    post_processor: null,
    decoder,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokenizer.vocabulary.map((token, id) => [token, id])),
      // Two tokens and a space: read by every version of `tokenizers`. No token over the byte alphabet holds a space.
      merges: merges.map(([left, right]) => `${left} ${right}`),
    },
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Throws STP1302 where the text is no `tokenizer.json` of this kind; `name` is for messages. */
export function readTokenizer(text: string, name: string): Tokenizer {
  if (text.length > FILE_CHARS_MAX) throw foreign(name, `${text.length} characters, ${FILE_CHARS_MAX} allowed`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw damaged(name, 'not JSON', cause);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw foreign(name, describeIssues(parsed.error), parsed.error);
  const { added_tokens: added, model } = parsed.data;
  if (added.some(({ id }, index) => id !== index)) throw damaged(name, 'special tokens do not take the ids from 0');
  const merges = model.merges.map((merge): [string, string] => {
    const [left, right, ...rest] = merge.split(' ');
    if (!left || !right || rest.length > 0) throw damaged(name, `merge ${JSON.stringify(merge)} is not two tokens`);
    return [left, right];
  });
  let tokenizer: Tokenizer;
  try {
    tokenizer = new Tokenizer({ specialTokens: added.map(({ content }) => content), merges });
  } catch (cause) {
    throw damaged(name, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const vocabulary = Object.entries(model.vocab);
  if (vocabulary.length !== tokenizer.size || vocabulary.some(([token, id]) => tokenizer.vocabulary[id] !== token)) {
    throw damaged(name, 'vocabulary is not the special tokens, the bytes and the merges in order');
  }
  return tokenizer;
}
