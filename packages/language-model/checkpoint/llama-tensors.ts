/**
 * Names and sizes of a model's weights, as Hugging Face writes a Llama (`LlamaForCausalLM`): every matrix is
 * [out, in], row-major; a head tied to the embedding has no tensor of its own. Knows nothing of values.
 */
import type { ModelShape } from '../trainer.ts';

/** Constants of the architecture, written to `config.json` (Llama 1 values). */
export const RMS_EPSILON = 1e-5;
export const ROPE_THETA = 10_000;

/** Numbers of the architecture that are no sizes. */
export interface LlamaConstants {
  readonly rmsEpsilon: number;
  readonly ropeTheta: number;
}

export const EMBEDDING_TENSOR = 'model.embed_tokens.weight';
export const FINAL_NORM_TENSOR = 'model.norm.weight';
/** Only there where the head is not tied to the embedding. */
export const HEAD_TENSOR = 'lm_head.weight';

/** Names of one layer's tensors; `layer` counts from 0. */
export function layerTensors(layer: number) {
  const prefix = `model.layers.${layer}`;
  return {
    inputNorm: `${prefix}.input_layernorm.weight`,
    query: `${prefix}.self_attn.q_proj.weight`,
    key: `${prefix}.self_attn.k_proj.weight`,
    value: `${prefix}.self_attn.v_proj.weight`,
    output: `${prefix}.self_attn.o_proj.weight`,
    postNorm: `${prefix}.post_attention_layernorm.weight`,
    gate: `${prefix}.mlp.gate_proj.weight`,
    up: `${prefix}.mlp.up_proj.weight`,
    down: `${prefix}.mlp.down_proj.weight`,
  } as const;
}

/** Every tensor of a model of this shape with its dimensions, in the order they are stored. */
export function llamaTensorShapes(shape: ModelShape): ReadonlyMap<string, readonly number[]> {
  const { hiddenSize, feedForwardSize } = shape;
  const keyValueSize = (hiddenSize / shape.heads) * shape.keyValueHeads;
  const tensors = new Map<string, readonly number[]>();
  tensors.set(EMBEDDING_TENSOR, [shape.vocabularySize, hiddenSize]);
  for (let layer = 0; layer < shape.layers; layer++) {
    const names = layerTensors(layer);
    tensors.set(names.inputNorm, [hiddenSize]);
    tensors.set(names.query, [hiddenSize, hiddenSize]);
    tensors.set(names.key, [keyValueSize, hiddenSize]);
    tensors.set(names.value, [keyValueSize, hiddenSize]);
    tensors.set(names.output, [hiddenSize, hiddenSize]);
    tensors.set(names.postNorm, [hiddenSize]);
    tensors.set(names.gate, [feedForwardSize, hiddenSize]);
    tensors.set(names.up, [feedForwardSize, hiddenSize]);
    tensors.set(names.down, [hiddenSize, feedForwardSize]);
  }
  tensors.set(FINAL_NORM_TENSOR, [hiddenSize]);
  if (shape.tiedEmbeddings === false) tensors.set(HEAD_TENSOR, [shape.vocabularySize, hiddenSize]);
  return tensors;
}
