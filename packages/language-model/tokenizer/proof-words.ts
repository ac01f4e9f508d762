/**
 * The words of the proofs that a model was trained on, kept beside its tokenizer. A sample may be made of these alone
 * (`packages/language-model/embedded/proof-grammar/`).
 */
import { z } from 'zod';

/** Above this the texts are not what a list of words describes. */
export const WORDS_MAX = 8_192;
const CHARACTERS_MAX = 128;

/**
 * Where a word stands: at the start of a tactic; behind `|`; behind `(` or `=>`, where a tactic or a term begins; directly behind a
 * slot, as a part of what the slot stands for; everywhere else.
 */
export const WORD_POSITIONS = ['command', 'alternative', 'inside', 'behind-slot', 'argument'] as const;
export type WordPosition = (typeof WORD_POSITIONS)[number];

const wordsSchema = z.array(z.string().min(1).max(CHARACTERS_MAX)).max(WORDS_MAX);
export const proofWordsSchema = z.strictObject({
  /** Words seen in each position. */
  words: z.record(z.enum(WORD_POSITIONS), wordsSchema),
  /** The words, without what follows a dot, to which only a proof gives a meaning: `ih`. */
  names: wordsSchema,
  /** The words that stood only where the prompt has them too. */
  shown: wordsSchema,
  /** Characters that are of no word. */
  signs: z.array(z.string().min(1).max(2)).max(WORDS_MAX),
});
export type ProofWords = z.infer<typeof proofWordsSchema>;
