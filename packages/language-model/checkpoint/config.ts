/**
 * The small files of a fresh checkpoint: `config.json` with the fields of a Hugging Face `LlamaForCausalLM`, and the
 * files that other tools need. `architecture.ts` reads the configuration, as it does for foreign models.
 */
import { z } from 'zod';
import { type ProofWords, proofWordsSchema } from '../tokenizer/proof-words.ts';
import { END_TOKEN, PAD_TOKEN } from '../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { RMS_EPSILON, ROPE_THETA } from './llama-tensors.ts';

const SIZE_MAX = 65_536;
const LAYERS_MAX = 256;
/** Limit for foreign models that servers and other trainers run; our own tokenizers have at most 65,536. */
const VOCABULARY_MAX = 262_144;

/** Sizes that the engine can sample: the number of key-value heads divides that of heads. */
const sampledShapeSchema = z
  .strictObject({
    hiddenSize: z.int().min(2).max(SIZE_MAX),
    layers: z.int().min(1).max(LAYERS_MAX),
    heads: z.int().min(1).max(SIZE_MAX),
    keyValueHeads: z.int().min(1).max(SIZE_MAX),
    feedForwardSize: z.int().min(1).max(SIZE_MAX),
    vocabularySize: z.int().min(1).max(VOCABULARY_MAX),
    contextLength: z.int().min(2).max(SIZE_MAX),
    tiedEmbeddings: z.exactOptional(z.boolean()),
  })
  .refine((shape) => shape.heads % shape.keyValueHeads === 0, 'key-value heads must divide the heads');

/**
 * Sizes that the engine can train: the number of heads also divides the hidden size, and a head's size is even
 * (RoPE).
 */
export const modelShapeSchema = sampledShapeSchema.refine(
  (shape) => shape.hiddenSize % (2 * shape.heads) === 0,
  'heads must divide the hidden size into even parts',
);

/** The size fields in a Llama's `config.json`, by any writer. */
export const sizeFields = {
  vocab_size: z.int(),
  hidden_size: z.int(),
  intermediate_size: z.int(),
  num_hidden_layers: z.int(),
  num_attention_heads: z.int(),
  num_key_value_heads: z.int(),
  max_position_embeddings: z.int(),
  tie_word_embeddings: z.boolean(),
} as const;
type SizeFields = z.infer<z.ZodObject<typeof sizeFields>>;

/** Standard deviation from which Llama weights are drawn. Other tools read it; the engine does not. */
const INITIALIZER_RANGE = 0.02;

export function configOf(shape: ModelShape, tokenizer: Tokenizer) {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    torch_dtype: 'float32',
    vocab_size: shape.vocabularySize,
    hidden_size: shape.hiddenSize,
    intermediate_size: shape.feedForwardSize,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyValueHeads,
    head_dim: shape.hiddenSize / shape.heads,
    max_position_embeddings: shape.contextLength,
    hidden_act: 'silu',
    rms_norm_eps: RMS_EPSILON,
    rope_theta: ROPE_THETA,
    rope_scaling: null,
    tie_word_embeddings: shape.tiedEmbeddings ?? true,
    attention_bias: false,
    mlp_bias: false,
    attention_dropout: 0,
    initializer_range: INITIALIZER_RANGE,
    use_cache: true,
    bos_token_id: null,
    eos_token_id: tokenizer.endId,
    pad_token_id: tokenizer.padId,
  };
}

/** Throws a ZodError if the engine cannot sample a model of these sizes. */
export function shapeFrom(fields: SizeFields): ModelShape {
  return sampledShapeSchema.parse({
    hiddenSize: fields.hidden_size,
    layers: fields.num_hidden_layers,
    heads: fields.num_attention_heads,
    keyValueHeads: fields.num_key_value_heads,
    feedForwardSize: fields.intermediate_size,
    vocabularySize: fields.vocab_size,
    contextLength: fields.max_position_embeddings,
    ...(fields.tie_word_embeddings ? {} : { tiedEmbeddings: false }),
  });
}

export function generationConfigOf(tokenizer: Tokenizer) {
  return { do_sample: true, eos_token_id: tokenizer.endId, pad_token_id: tokenizer.padId };
}

/** `proof_words` is our own field; other readers of this format ignore it. */
export function tokenizerConfigOf(shape: ModelShape, proofWords: ProofWords | null) {
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: null,
    eos_token: END_TOKEN,
    pad_token: PAD_TOKEN,
    model_max_length: shape.contextLength,
    clean_up_tokenization_spaces: false,
    ...(proofWords === null ? {} : { proof_words: proofWords }),
  };
}

const tokenizerConfigSchema = z.looseObject({ proof_words: proofWordsSchema.nullish() });

/** Returns null if a tokenizer's configuration has no proof words. Throws a ZodError if they are malformed. */
export function proofWordsIn(tokenizerConfig: unknown): ProofWords | null {
  return tokenizerConfigSchema.parse(tokenizerConfig).proof_words ?? null;
}
