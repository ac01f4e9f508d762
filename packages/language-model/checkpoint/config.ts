/**
 * The small files of a fresh checkpoint: `config.json` with the fields of a Hugging Face `LlamaForCausalLM`, and those that
 * other tools want beside it. `architecture.ts` reads the configuration again, as it does those of other people's models.
 */
import { z } from 'zod';
import { type ProofWords, proofWordsSchema } from '../tokenizer/proof-words.ts';
import { END_TOKEN, PAD_TOKEN } from '../tokenizer/special-tokens.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { RMS_EPSILON, ROPE_THETA } from './llama-tensors.ts';

const SIZE_MAX = 65_536;
const LAYERS_MAX = 256;
/** Limit for models from elsewhere that servers and other trainers run; a tokenizer of ours has at most 65,536. */
const VOCABULARY_MAX = 262_144;

/** Sizes the engine samples: key-value heads divide the heads. */
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

/** Sizes the engine trains: heads divide the hidden size too, and a head is even (RoPE). */
export const modelShapeSchema = sampledShapeSchema.refine(
  (shape) => shape.hiddenSize % (2 * shape.heads) === 0,
  'heads must divide the hidden size into even parts',
);

/** The sizes in a Llama's `config.json`, by any writer. */
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

/** Standard deviation Llama weights are drawn with; kept for readers, not used by them. */
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

/** A ZodError where the engine cannot sample a model of these sizes. */
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

/** `proof_words` is ours; readers of Hugging Face's form pass over it. */
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

/** Null where a tokenizer's configuration has none; a ZodError where they are malformed. */
export function proofWordsIn(tokenizerConfig: unknown): ProofWords | null {
  return tokenizerConfigSchema.parse(tokenizerConfig).proof_words ?? null;
}
