/** The words that models read and write. Sampling threads and processes load nothing else of this package. */
export {
  EQUALS,
  equationWordsSchema,
  IMPLIES,
  type TermSignature,
  termSignatureSchema,
  variableWord,
  WORDS_MAX,
} from './schemas/equation-words.ts';
export {
  ALL_FUNCTIONS,
  PROMPT_MARKERS,
  PROOF_MARKER,
  SLOT_TOKENS,
  type SlotRole,
  STATE_MARKER,
  slotToken,
} from './schemas/slot-tokens.ts';
