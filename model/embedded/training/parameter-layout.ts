/**
 * Where each weight of the decoder lies in one flat float32 vector, under its Hugging Face Llama name and shape ([out, in]
 * for matrices). The training graph, the optimizer, the checkpoint and the decoding graph all read the same layout. The
 * output head is the embedding (tied), so it has no entry of its own.
 */
import { StpError } from '../../../data/errors.ts';
import type { ModelShape } from '../../trainer.ts';

export interface ParameterEntry {
  readonly name: string;
  readonly shape: readonly number[];
  /** First element in the flat vector. */
  readonly offset: number;
  readonly size: number;
  /** Embeddings and norms are not decayed. */
  readonly decays: boolean;
}

export interface ParameterLayout {
  readonly entries: readonly ParameterEntry[];
  /** Elements of the flat vector. */
  readonly size: number;
}

export const EMBEDDING_NAME = 'model.embed_tokens.weight';
export const FINAL_NORM_NAME = 'model.norm.weight';
export const layerPrefix = (layer: number): string => `model.layers.${layer}`;

/** Elements of one attention head. Throws STP1002 where the sizes do not fit together. */
export function headSizeOf(shape: ModelShape): number {
  const headSize = shape.hiddenSize / shape.heads;
  if (!Number.isInteger(headSize) || headSize % 2 !== 0 || !Number.isInteger(shape.heads / shape.keyValueHeads))
    throw new StpError(
      'STP1002',
      `model shape: hiddenSize ${shape.hiddenSize}, heads ${shape.heads}, keyValueHeads ${shape.keyValueHeads}`,
      'hiddenSize / heads must be an even whole number and heads a multiple of keyValueHeads.',
    );
  return headSize;
}

/** The layout of a model's weights, in the order of the checkpoint file. */
export function parameterLayout(shape: ModelShape): ParameterLayout {
  const { hiddenSize: hidden, feedForwardSize: inner } = shape;
  const keyValueSize = shape.keyValueHeads * headSizeOf(shape);
  const entries: ParameterEntry[] = [];
  let offset = 0;
  const place = (name: string, dimensions: readonly number[], decays: boolean) => {
    const size = dimensions.reduce((product, dimension) => product * dimension, 1);
    entries.push({ name, shape: dimensions, offset, size, decays });
    offset += size;
  };
  place(EMBEDDING_NAME, [shape.vocabularySize, hidden], false);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const prefix = layerPrefix(layer);
    place(`${prefix}.input_layernorm.weight`, [hidden], false);
    place(`${prefix}.self_attn.q_proj.weight`, [hidden, hidden], true);
    place(`${prefix}.self_attn.k_proj.weight`, [keyValueSize, hidden], true);
    place(`${prefix}.self_attn.v_proj.weight`, [keyValueSize, hidden], true);
    place(`${prefix}.self_attn.o_proj.weight`, [hidden, hidden], true);
    place(`${prefix}.post_attention_layernorm.weight`, [hidden], false);
    place(`${prefix}.mlp.gate_proj.weight`, [inner, hidden], true);
    place(`${prefix}.mlp.up_proj.weight`, [inner, hidden], true);
    place(`${prefix}.mlp.down_proj.weight`, [hidden, inner], true);
  }
  place(FINAL_NORM_NAME, [hidden], false);
  return { entries, size: offset };
}

/** The part of the flat vector that holds one weight (a view, not a copy). */
export function parameterView(parameters: Float32Array, entry: ParameterEntry): Float32Array {
  return parameters.subarray(entry.offset, entry.offset + entry.size);
}
