/**
 * Names and shapes of a model's weights, as Hugging Face writes a Llama (`LlamaForCausalLM`) or a similar decoder.
 * Every matrix is [out, in], row-major; a head tied to the embedding has no tensor.
 */
import type { ModelShape } from '../trainer.ts';

/** Constants of the architecture, written to `config.json` (Llama 1 values). */
export const RMS_EPSILON = 1e-5;
export const ROPE_THETA = 10_000;

/** The matrix products of a layer. Each may add a bias. */
export const PROJECTIONS = ['query', 'key', 'value', 'output', 'gate', 'up', 'down'] as const;
export type Projection = (typeof PROJECTIONS)[number];

/** How positions are scaled beyond the context of the first training (`trainedLength`, tokens). */
export type RopeScaling =
  | { readonly kind: 'linear'; readonly factor: number }
  /**
   * Llama 3: scales wavelengths above `trainedLength / low`, and leaves those below `trainedLength / high` unchanged.
   */
  | {
      readonly kind: 'llama3';
      readonly factor: number;
      readonly low: number;
      readonly high: number;
      readonly trainedLength: number;
    }
  /**
   * YaRN (Peng et al. 2023): scales by the number of rotations within the trained context, between `slow` and `fast`.
   */
  | {
      readonly kind: 'yarn';
      readonly factor: number;
      readonly trainedLength: number;
      readonly fast: number;
      readonly slow: number;
      readonly isRounded: boolean;
      /** Factor on sines and cosines. */
      readonly attention: number;
    };

/** Constants, beside the sizes, that distinguish Llama-like decoders. */
export interface LlamaConstants extends LlamaParts {
  readonly rmsEpsilon: number;
  readonly ropeTheta: number;
  readonly ropeScaling?: RopeScaling;
}

/** The constants that decide which weights exist. */
export interface LlamaParts {
  /** Default: the hidden size divided by the number of heads. */
  readonly headSize?: number;
  /** The products that add a bias; default: none. */
  readonly biases?: readonly Projection[];
  /** Whether each head's query and key are normalised before the rotation (Qwen3). */
  readonly headNorms?: boolean;
}

/** The constants of this project's own models. */
export const OWN_CONSTANTS: LlamaConstants = { rmsEpsilon: RMS_EPSILON, ropeTheta: ROPE_THETA };

export const headSizeOf = (shape: ModelShape, { headSize }: LlamaParts): number =>
  headSize ?? shape.hiddenSize / shape.heads;

export const EMBEDDING_TENSOR = 'model.embed_tokens.weight';
export const FINAL_NORM_TENSOR = 'model.norm.weight';
/** The tensor of an untied head. */
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
    queryNorm: `${prefix}.self_attn.q_norm.weight`,
    keyNorm: `${prefix}.self_attn.k_norm.weight`,
  } as const;
}

export type LayerNames = ReturnType<typeof layerTensors>;

/** Returns the name of a matrix's bias. */
export const biasTensor = (weight: string): string => weight.replace(/weight$/, 'bias');

/** Returns every tensor of a model of this shape with its dimensions, in storage order. */
export function llamaTensorShapes(
  shape: ModelShape,
  constants: LlamaParts = {},
): ReadonlyMap<string, readonly number[]> {
  const { hiddenSize, feedForwardSize } = shape;
  const headSize = headSizeOf(shape, constants);
  const querySize = headSize * shape.heads;
  const keyValueSize = headSize * shape.keyValueHeads;
  const tensors = new Map<string, readonly number[]>();
  tensors.set(EMBEDDING_TENSOR, [shape.vocabularySize, hiddenSize]);
  for (let layer = 0; layer < shape.layers; layer++) {
    const names = layerTensors(layer);
    tensors.set(names.inputNorm, [hiddenSize]);
    tensors.set(names.query, [querySize, hiddenSize]);
    tensors.set(names.key, [keyValueSize, hiddenSize]);
    tensors.set(names.value, [keyValueSize, hiddenSize]);
    tensors.set(names.output, [hiddenSize, querySize]);
    tensors.set(names.postNorm, [hiddenSize]);
    tensors.set(names.gate, [feedForwardSize, hiddenSize]);
    tensors.set(names.up, [feedForwardSize, hiddenSize]);
    tensors.set(names.down, [hiddenSize, feedForwardSize]);
    for (const projection of constants.biases ?? []) {
      const [out] = tensors.get(names[projection])!;
      tensors.set(biasTensor(names[projection]), [out!]);
    }
    if (constants.headNorms) for (const norm of [names.queryNorm, names.keyNorm]) tensors.set(norm, [headSize]);
  }
  tensors.set(FINAL_NORM_TENSOR, [hiddenSize]);
  if (shape.tiedEmbeddings === false) tensors.set(HEAD_TENSOR, [shape.vocabularySize, hiddenSize]);
  return tensors;
}
