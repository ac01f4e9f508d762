/** Small random models of other people's kinds, with a tokenizer of ours. */
import { SMALL_SHAPE, smallCheckpoint } from '@stp/language-model/testing';

export const { tokenizer } = smallCheckpoint();

const sizes = {
  vocab_size: tokenizer.size,
  hidden_size: SMALL_SHAPE.hiddenSize,
  intermediate_size: SMALL_SHAPE.feedForwardSize,
  num_hidden_layers: 3,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  max_position_embeddings: SMALL_SHAPE.contextLength,
};
const folder = (family: string, config: object, dtype = 'float32', shard = '5GB') => ({
  ...{ seed: 11, family, config: { ...sizes, ...config }, dtype, shard },
});
const constants = (tied: boolean, theta: number, epsilon: number) => ({
  tie_word_embeddings: tied,
  rope_parameters: { rope_type: 'default', rope_theta: theta },
  rms_norm_eps: epsilon,
});
/** Trained on so short a context that the tests' texts are beyond it. */
const scaled = (type: string, more: object) => ({
  rope_parameters: { rope_type: type, rope_theta: 10_000, factor: 4, original_max_position_embeddings: 40, ...more },
});

/** What `model_folders.py` makes, by name: each kind of decoder that the embedded engine runs. */
export const FOREIGN_MODELS: Readonly<Record<string, ReturnType<typeof folder>>> = {
  'a tied Llama': folder('llama', constants(true, 10_000, 1e-5)),
  'a Llama in shards, of other constants': folder('llama', constants(false, 500_000, 1e-6), 'float32', '300KB'),
  'a Llama in bfloat16': folder('llama', constants(false, 2_000, 1e-3), 'bfloat16'),
  'a Llama in float16': folder('llama', constants(true, 20_000, 1e-5), 'float16'),
  'a Llama with all biases': folder('llama', { attention_bias: true, mlp_bias: true }),
  'a Llama with heads of another size': folder('llama', { head_dim: 24, tie_word_embeddings: true }),
  'a Llama with linear scaling': folder('llama', scaled('linear', {})),
  'a Llama 3 with its scaling': folder('llama', scaled('llama3', { low_freq_factor: 1, high_freq_factor: 4 })),
  'a Llama with YaRN': folder('llama', scaled('yarn', {})),
  'a Mistral': folder('mistral', { sliding_window: null, head_dim: 32 }),
  'a Mistral with a window': folder('mistral', { sliding_window: 150 }, 'bfloat16', '300KB'),
  'a Qwen2': folder('qwen2', { tie_word_embeddings: true }),
  'a Qwen2 with YaRN': folder(
    'qwen2',
    scaled('yarn', { beta_fast: 16, beta_slow: 2, attention_factor: 1.3 }),
    'bfloat16',
  ),
  'a Qwen3': folder('qwen3', { head_dim: 32, tie_word_embeddings: true }),
  'a Qwen3 with biases, in shards': folder('qwen3', { head_dim: 16, attention_bias: true }, 'bfloat16', '300KB'),
};
