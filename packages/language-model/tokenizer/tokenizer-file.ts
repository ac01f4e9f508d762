/**
 * Checks the `tokenizer.json` of Hugging Face's `tokenizers`: a byte-pair encoding and the steps around it. A file is
 * refused if the library of `tokenizer.ts` computes one of its steps differently, so that a text is always encoded as
 * in the model's training.
 */
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import { damaged, foreign } from '../damaged.ts';
import { normalisedTokenProblem } from './normalised-tokens.ts';
import { Tokenizer, type TokenizerMarks } from './tokenizer.ts';

/** Maximum file size; 262,144 tokens and merges, each merge a list of two, are about 32 MB. */
const FILE_CHARS_MAX = 64 * 1024 * 1024;
export const TOKENIZER_BYTES_MAX = FILE_CHARS_MAX;
const VOCABULARY_MAX = 262_144;
const ADDED_TOKENS_MAX = 16_384;
/** Maximum pattern length; the longest in use has some 400 characters. */
const PATTERN_CHARS_MAX = 2_048;
/** Longest token of a file, in characters. */
export const TOKEN_CHARS_MAX = 1_024;
const ISSUES_MAX = 8;
const UNKNOWN_KIND = 'a kind that is not read here';

const flag = z.boolean().default(false);
const tokenId = z
  .int()
  .nonnegative()
  .lt(2 * VOCABULARY_MAX);
const text = z.string().max(TOKEN_CHARS_MAX);
const absent = z.union([z.null(), z.literal('')]).default(null);

const patternSchema = z.union([
  z.strictObject({ String: z.string().min(1).max(PATTERN_CHARS_MAX) }),
  z.strictObject({ Regex: z.string().min(1).max(PATTERN_CHARS_MAX) }),
]);

const normalizerSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.enum(['NFC', 'NFD', 'NFKC', 'NFKD']) }),
    z.looseObject({ type: z.literal('Prepend'), prepend: text }),
    z.looseObject({ type: z.literal('Replace'), pattern: patternSchema, content: text }),
    z.looseObject({
      type: z.literal('Sequence'),
      get normalizers() {
        return z.array(normalizerSchema).max(16);
      },
    }),
  ],
  UNKNOWN_KIND,
);

export type Normalizer = z.infer<typeof normalizerSchema>;

const preTokenizerSchema = z.discriminatedUnion(
  'type',
  [
    z
      .looseObject({ type: z.literal('Split'), pattern: patternSchema, behavior: z.string(), invert: flag })
      // The ways of splitting at a pattern that the library supports.
      .refine(
        ({ behavior, invert }) => behavior === 'Removed' || (behavior === 'Isolated' && !invert),
        'a split that is neither Isolated nor Removed',
      ),
    z.looseObject({ type: z.literal('Digits'), individual_digits: flag }),
    z.looseObject({ type: z.literal('ByteLevel'), add_prefix_space: flag, use_regex: z.boolean().default(true) }),
    z.looseObject({
      type: z.literal('Metaspace'),
      replacement: z.string().length(1).default('▁'),
      prepend_scheme: z.enum(['always', 'first', 'never']).default('always'),
      split: z.boolean().default(true),
    }),
    z.looseObject({
      type: z.literal('Sequence'),
      get pretokenizers() {
        return z.array(preTokenizerSchema).max(16);
      },
    }),
  ],
  UNKNOWN_KIND,
);
export type PreTokenizer = z.infer<typeof preTokenizerSchema>;

const templatePart = z.union([
  z.strictObject({ SpecialToken: z.looseObject({ id: text }) }),
  z.strictObject({ Sequence: z.looseObject({ id: z.enum(['A', 'B']) }) }),
]);
const postProcessorSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('ByteLevel') }),
    z.looseObject({ type: z.literal('TemplateProcessing'), single: z.array(templatePart).max(64) }),
    z.looseObject({
      type: z.literal('Sequence'),
      get processors() {
        return z.array(postProcessorSchema).max(16);
      },
    }),
  ],
  UNKNOWN_KIND,
);
export type PostProcessor = z.infer<typeof postProcessorSchema>;

const decoderSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('ByteLevel') }),
    z.looseObject({
      type: z.literal('Metaspace'),
      replacement: z.string().length(1).default('▁'),
      prepend_scheme: z.enum(['always', 'first', 'never']).default('always'),
    }),
    z.looseObject({
      type: z.literal('Replace'),
      pattern: z.strictObject({ String: z.string().length(1) }),
      content: z.literal(' '),
    }),
    z.looseObject({ type: z.literal('ByteFallback') }),
    z.looseObject({ type: z.literal('Fuse') }),
    z.looseObject({
      type: z.literal('Strip'),
      content: z.literal(' '),
      start: z.int().min(0).max(1),
      stop: z.literal(0),
    }),
    z.looseObject({
      type: z.literal('Sequence'),
      get decoders() {
        return z.array(decoderSchema).max(16);
      },
    }),
  ],
  UNKNOWN_KIND,
);
export type TokenDecoder = z.infer<typeof decoderSchema>;

const addedTokenSchema = z.looseObject({
  id: tokenId,
  content: text.min(1),
  single_word: z.literal(false, 'tokens that are whole words only').default(false),
  lstrip: flag,
  rstrip: flag,
  normalized: flag,
  special: flag,
});

const fileSchema = z.looseObject({
  added_tokens: z.array(addedTokenSchema).max(ADDED_TOKENS_MAX).default([]),
  normalizer: normalizerSchema.nullable().default(null),
  pre_tokenizer: preTokenizerSchema.nullable().default(null),
  post_processor: postProcessorSchema.nullable().default(null),
  decoder: decoderSchema,
  model: z.looseObject({
    type: z.literal('BPE', 'a model that is no byte-pair encoding').default('BPE'),
    dropout: z.union([z.null(), z.literal(0)]).default(null),
    unk_token: text.nullable().default(null),
    continuing_subword_prefix: absent,
    end_of_word_suffix: absent,
    fuse_unk: flag,
    byte_fallback: flag,
    ignore_merges: flag,
    // There may be a hundred thousand of each, so they are checked by hand below.
    vocab: z.custom<Readonly<Record<string, number>>>(isVocabulary, 'no map of tokens to distinct ids'),
    merges: z.custom<readonly (string | readonly [string, string])[]>(areMerges, 'no list of pairs of tokens'),
  }),
});
export type TokenizerFile = z.infer<typeof fileSchema>;

function isVocabulary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  if (entries.length > VOCABULARY_MAX) return false;
  const isEntry = ([token, id]: [string, unknown]): boolean =>
    token.length <= TOKEN_CHARS_MAX && tokenId.safeParse(id).success;
  return entries.every(isEntry) && new Set(Object.values(value)).size === entries.length;
}

function areMerges(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > VOCABULARY_MAX) return false;
  const isPair = (pair: unknown[]): boolean => pair.length === 2 && pair.every((part) => typeof part === 'string');
  // The library reads all merges in the form of the first one.
  const areLists = Array.isArray(value[0]);
  return value.every((merge) => (areLists ? Array.isArray(merge) && isPair(merge) : isWrittenPair(merge)));
}

const isWrittenPair = (merge: unknown): boolean => typeof merge === 'string' && /^[^ ]+ [^ ]+$/u.test(merge);

/** Returns the text of `tokenizer.json`. Equal tokenizers give equal texts. */
export function writeTokenizer({ file }: Tokenizer): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

/**
 * Throws STP1302 if the text is no supported `tokenizer.json`; `name` is for messages.
 *
 * @param marksOf returns the tokens with a meaning, from each token's id; default: those of this project's tokenizers
 */
export function readTokenizer(
  text: string,
  name: string,
  marksOf?: (idOf: (token: string) => number | undefined) => TokenizerMarks,
): Tokenizer {
  if (text.length > FILE_CHARS_MAX) throw foreign(name, `${text.length} characters, ${FILE_CHARS_MAX} allowed`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw damaged(name, 'not JSON', cause);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, ISSUES_MAX);
    throw foreign(name, describeIssues({ issues }), parsed.error);
  }
  try {
    const problem = normalisedTokenProblem(parsed.data);
    if (problem !== null) throw new Error(problem);
    // Fields that no schema reads are kept, so that the file is written back unchanged.
    const { model, added_tokens: added } = parsed.data;
    const idOf = (token: string) =>
      added.find(({ content }) => content === token)?.id ??
      (Object.hasOwn(model.vocab, token) ? model.vocab[token] : undefined);
    return new Tokenizer(parsed.data, marksOf?.(idOf));
  } catch (cause) {
    if (cause instanceof StpError) throw damaged(name, cause.message, cause);
    throw foreign(name, cause instanceof Error ? cause.message : String(cause), cause);
  }
}
