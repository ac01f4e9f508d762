/**
 * Writes a model folder as a GGUF, so that llama.cpp can sample a checkpoint. Matrices are in half precision, as in
 * most published models. The file has all tokens but no merges: the folder's own tokenizer splits texts.
 */

import {
  biasTensor,
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  headSizeOf,
  type LlamaConstants,
  layerTensors,
} from '../checkpoint/llama-tensors.ts';
import type { ModelFolder } from '../checkpoint/model-folder.ts';
import { littleEndian } from '../checkpoint/safetensors.ts';
import { foreign } from '../damaged.ts';
import { BYTE_ALPHABET } from '../tokenizer/bytes.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { type GgufField, type GgufFields, type TensorSpec, writeGgufFile } from './write-gguf.ts';

export type GgufModel = Pick<ModelFolder, 'shape' | 'constants' | 'tensors' | 'tokenizer'>;

export interface ModelTensor extends TensorSpec {
  readonly values: Float32Array;
  /** Number of heads whose rows llama.cpp needs in another order; null: no reordering. */
  readonly turnedHeads: number | null;
}

/** Codes of value types. */
const [F32, F16] = [0, 1] as const;
/** Values of `tokenizer.ggml.token_type`. */
const [NORMAL, CONTROL, UNUSED] = [1, 3, 5] as const;
const HALF_MAX = 65_504;

/** Writes the model to a new file. Throws STP1302 for an unsupported model. */
export async function writeModelGguf(model: GgufModel, path: string, folder: string): Promise<void> {
  const { fields, tensors } = modelGguf(model, folder);
  await writeGgufFile(path, fields, tensors, tensorBytes);
}

/** Returns the fields and tensors of the file. */
export function modelGguf(model: GgufModel, folder: string) {
  const architecture = ggufArchitecture(model.constants, folder);
  return { fields: fieldsOf(model, architecture), tensors: tensorsOf(model, architecture) };
}

export function tensorBytes({ values, type, turnedHeads, shape }: ModelTensor): Buffer {
  const ordered = turnedHeads === null ? values : asNeighbours(values, turnedHeads, shape[0]!);
  if (type === F32) return littleEndian(ordered);
  const halves = Float16Array.from(ordered);
  return Buffer.from(halves.buffer, halves.byteOffset, halves.byteLength);
}

/** llama.cpp names these architectures by their differences from Llama. Throws STP1302 for others. */
export function ggufArchitecture(constants: LlamaConstants, folder: string): 'llama' | 'qwen2' | 'qwen3' {
  const { ropeScaling, biases = [], headNorms = false } = constants;
  if (ropeScaling !== undefined && ropeScaling.kind !== 'linear')
    throw foreign(folder, `positions scaled by ${ropeScaling.kind}, which is not written for llama.cpp`);
  const added = biases.join();
  if (added === '' && !headNorms) return 'llama';
  if (added === '') return 'qwen3';
  if (added === 'query,key,value' && !headNorms) return 'qwen2';
  const norms = headNorms ? 'norms of heads and ' : '';
  throw foreign(folder, `${norms}biases of ${added}, which are not written for llama.cpp`);
}

function fieldsOf({ shape, constants, tokenizer }: GgufModel, architecture: string): GgufFields {
  const { ropeScaling } = constants;
  const headSize = headSizeOf(shape, constants);
  const sizes: Record<string, GgufField> = {
    block_count: shape.layers,
    context_length: shape.contextLength,
    embedding_length: shape.hiddenSize,
    feed_forward_length: shape.feedForwardSize,
    vocab_size: shape.vocabularySize,
    'attention.head_count': shape.heads,
    'attention.head_count_kv': shape.keyValueHeads,
    'attention.key_length': headSize,
    'attention.value_length': headSize,
    'attention.layer_norm_rms_epsilon': { float: constants.rmsEpsilon },
    'rope.dimension_count': headSize,
    'rope.freq_base': { float: constants.ropeTheta },
    ...(ropeScaling?.kind === 'linear'
      ? { 'rope.scaling.type': 'linear', 'rope.scaling.factor': { float: ropeScaling.factor } }
      : {}),
  };
  return {
    'general.architecture': architecture,
    ...Object.fromEntries(Object.entries(sizes).map(([name, value]) => [`${architecture}.${name}`, value])),
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'default',
    ...tokenFields(tokenizer, shape.vocabularySize),
    'tokenizer.ggml.merges': [],
    'tokenizer.ggml.eos_token_id': tokenizer.endId,
    'tokenizer.ggml.padding_token_id': tokenizer.padId,
    'tokenizer.ggml.add_bos_token': false,
  };
}

/**
 * Writes tokens as their bytes in GPT-2's alphabet. llama.cpp aborts on duplicates, so redundant ids are marked as
 * unused.
 */
function tokenFields(tokenizer: Tokenizer, count: number): GgufFields {
  const seen = new Set<string>();
  const tokens: string[] = [];
  const types: number[] = [];
  for (let id = 0; id < count; id++) {
    const special = tokenizer.specialTokens.get(id);
    const written = special ?? Array.from(tokenizer.bytesOf(id), (byte) => BYTE_ALPHABET[byte]).join('');
    const isNew = written !== '' && !seen.has(written);
    tokens.push(isNew ? written : `<unused ${id}>`);
    types.push(!isNew ? UNUSED : special === undefined ? NORMAL : CONTROL);
    seen.add(written);
  }
  return { 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.token_type': types };
}

function tensorsOf({ shape, tensors }: GgufModel, architecture: string): ModelTensor[] {
  const names = new Map([
    [EMBEDDING_TENSOR, 'token_embd.weight'],
    [FINAL_NORM_TENSOR, 'output_norm.weight'],
    [HEAD_TENSOR, 'output.weight'],
  ]);
  for (let layer = 0; layer < shape.layers; layer++) {
    const { inputNorm, postNorm, query, key, value, output, gate, up, down, queryNorm, keyNorm } = layerTensors(layer);
    const attention = { attn_norm: inputNorm, attn_q: query, attn_k: key, attn_v: value, attn_output: output };
    const rest = { attn_q_norm: queryNorm, attn_k_norm: keyNorm, ffn_norm: postNorm, ffn_gate: gate, ffn_up: up };
    for (const [theirs, ours] of Object.entries({ ...attention, ...rest, ffn_down: down })) {
      names.set(ours, `blk.${layer}.${theirs}.weight`);
      names.set(biasTensor(ours), `blk.${layer}.${theirs}.bias`);
    }
  }
  return Array.from(tensors, ([name, { shape: dimensions, values }]): ModelTensor => {
    // Vectors stay in single precision, and so do tensors with values beyond half precision's range.
    const type = dimensions.length === 1 || values.some((one) => Math.abs(one) > HALF_MAX) ? F32 : F16;
    const heads = /\bq_proj\.weight$/.test(name)
      ? shape.heads
      : /\bk_proj\.weight$/.test(name)
        ? shape.keyValueHeads
        : null;
    return {
      name: names.get(name)!,
      shape: dimensions,
      type,
      bytes: values.length * (type === F32 ? 4 : 2),
      values,
      turnedHeads: architecture === 'llama' ? heads : null,
    };
  });
}

/**
 * Reorders a head's rows for llama.cpp's Llama, which rotates neighbours: row i of the first half precedes row i of
 * the second.
 */
function asNeighbours(values: Float32Array, heads: number, rows: number): Float32Array {
  const [columns, size] = [values.length / rows, rows / heads];
  const ordered = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const [head, within] = [Math.floor(row / size), row % size];
    const half = size / 2;
    const to = head * size + (within < half ? 2 * within : 2 * (within - half) + 1);
    ordered.set(values.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return ordered;
}
