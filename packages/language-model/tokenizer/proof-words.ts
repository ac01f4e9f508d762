/**
 * The words of the proofs that a model was trained on, kept beside its tokenizer. A sample may be restricted to them
 * (`packages/language-model/embedded/proof-grammar/`).
 */
import { z } from 'zod';

/** With more words than this, a list does not describe the texts. */
export const WORDS_MAX = 8_192;
const CHARACTERS_MAX = 128;

/**
 * The position of a word: at the start of a tactic; after `|`; after `(` or `=>`, where a tactic or a term begins;
 * directly after a slot, as a part of the slot's value; everywhere else.
 */
export const WORD_POSITIONS = ['command', 'alternative', 'inside', 'behind-slot', 'argument'] as const;
export type WordPosition = (typeof WORD_POSITIONS)[number];

const wordsSchema = z.array(z.string().min(1).max(CHARACTERS_MAX)).max(WORDS_MAX);
export const proofWordsSchema = z.strictObject({
  /** Words seen in each position. */
  words: z.record(z.enum(WORD_POSITIONS), wordsSchema),
  /** Words that only a proof gives a meaning, such as `ih`, without the part after a dot. */
  names: wordsSchema,
  /** Words that occurred only in proofs whose prompt has them too. */
  shown: wordsSchema,
  /** Characters that belong to no word. */
  signs: z.array(z.string().min(1).max(2)).max(WORDS_MAX),
});
export type ProofWords = z.infer<typeof proofWordsSchema>;
