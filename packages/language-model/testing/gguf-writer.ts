/** Writes GGUF files for tests, as llama.cpp's converter does of a Llama. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { layerTensors } from '../checkpoint/llama-tensors.ts';
import { littleEndian } from '../checkpoint/safetensors.ts';

export type GgufField = string | number | boolean | readonly string[] | readonly number[];

export interface WrittenTensor {
  readonly name: string;
  /** Outermost first. */
  readonly shape: readonly number[];
  /** Code of the type of its values. */
  readonly type: number;
  readonly data: Buffer;
}

const ALIGNMENT = 32;
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT - bytes.length)]);

function field(value: GgufField): Buffer {
  if (typeof value === 'string') return Buffer.concat([u32(8), text(value)]);
  if (typeof value === 'boolean') return Buffer.concat([u32(7), Buffer.of(value ? 1 : 0)]);
  if (typeof value === 'number')
    return Number.isInteger(value)
      ? Buffer.concat([u32(4), u32(value)])
      : Buffer.concat([u32(6), Buffer.from(Float32Array.of(value).buffer)]);
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)));
  return Buffer.concat([u32(9), u32(typeof value[0] === 'string' ? 8 : 4), u64(value.length), ...items]);
}

export function writeGguf(fields: Readonly<Record<string, GgufField>>, tensors: readonly WrittenTensor[]): Buffer {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(fields).length)];
  for (const [name, value] of Object.entries(fields)) parts.push(text(name), field(value));
  let offset = 0;
  for (const { name, shape, type, data } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.toReversed().map(u64), u32(type), u64(offset));
    offset += padded(data).length;
  }
  return Buffer.concat([padded(Buffer.concat(parts)), ...tensors.map(({ data }) => padded(data))]);
}

/** Neighbours turn against each other in llama.cpp: row i of a head's first half stands beside row i of its second. */
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

/** The fields and tensors of a checkpoint, in float32. */
export function llamaGguf({ shape, tensors, tokenizer }: Checkpoint) {
  const fields: Record<string, GgufField> = {
    'general.architecture': 'llama',
    'general.license': 'apache-2.0',
    'llama.block_count': shape.layers,
    'llama.context_length': shape.contextLength,
    'llama.embedding_length': shape.hiddenSize,
    'llama.feed_forward_length': shape.feedForwardSize,
    'llama.attention.head_count': shape.heads,
    'llama.attention.head_count_kv': shape.keyValueHeads,
    'llama.attention.layer_norm_rms_epsilon': 1e-5,
    'llama.rope.freq_base': 10_000,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'smollm',
    'tokenizer.ggml.tokens': Array.from(
      { length: shape.vocabularySize },
      (_, id) => tokenizer.vocabulary[id] ?? `<${id}>`,
    ),
    'tokenizer.ggml.token_type': Array.from({ length: shape.vocabularySize }, (_, id) =>
      tokenizer.specialTokens.has(id) ? 3 : 1,
    ),
    'tokenizer.ggml.merges': tokenizer.file.model.merges as readonly string[],
    'tokenizer.ggml.eos_token_id': tokenizer.endId,
    'tokenizer.ggml.padding_token_id': tokenizer.padId,
    'tokenizer.chat_template': '{{ messages[0].content }}',
  };
  const names = new Map([
    ['model.embed_tokens.weight', 'token_embd.weight'],
    ['model.norm.weight', 'output_norm.weight'],
    ['lm_head.weight', 'output.weight'],
  ]);
  for (let layer = 0; layer < shape.layers; layer++) {
    const { inputNorm, postNorm, query, key, value, output, gate, up, down } = layerTensors(layer);
    const theirs = { attn_norm: inputNorm, ffn_norm: postNorm, attn_q: query, attn_k: key, attn_v: value };
    const rest = { attn_output: output, ffn_gate: gate, ffn_up: up, ffn_down: down };
    for (const [name, ours] of Object.entries({ ...theirs, ...rest })) names.set(ours, `blk.${layer}.${name}.weight`);
  }
  const written = Array.from(tensors, ([name, { shape: dimensions, values }]): WrittenTensor => {
    const heads = name.includes('q_proj') ? shape.heads : name.includes('k_proj') ? shape.keyValueHeads : null;
    const ordered = heads === null ? values : asNeighbours(values, heads, dimensions[0]!);
    return { name: names.get(name)!, shape: dimensions, type: 0, data: littleEndian(ordered) };
  });
  return { fields, tensors: written };
}
