/**
 * Converts a GGUF to a Hugging Face folder: `config.json`, `model.safetensors` in float32, tokenizer and chat template.
 * Supports only Llama with the tokenizers in `PRE_TOKENIZERS`. The folder appears complete or not at all.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import { EMBEDDING_TENSOR, FINAL_NORM_TENSOR, HEAD_TENSOR, layerTensors } from '../checkpoint/llama-tensors.ts';
import { WEIGHTS_FILE } from '../checkpoint/manifest.ts';
import { littleEndian, safetensorsHeader } from '../checkpoint/safetensors.ts';
import { damaged, foreign } from '../damaged.ts';
import { byteLevelFile } from '../tokenizer/byte-level-file.ts';
import { readTokenizer } from '../tokenizer/tokenizer-file.ts';
import { type GgufFile, type GgufTensor, readGguf, readTensorBytes } from './gguf-file.ts';

const positive = z.int().positive();
const metadataSchema = z.looseObject({
  'general.architecture': z.literal('llama'),
  'general.license': z.string().max(200).optional(),
  'llama.block_count': positive,
  'llama.context_length': positive,
  'llama.embedding_length': positive,
  'llama.feed_forward_length': positive,
  'llama.attention.head_count': positive,
  'llama.attention.head_count_kv': positive.optional(),
  'llama.attention.layer_norm_rms_epsilon': z.number().positive(),
  'llama.rope.freq_base': z.number().positive().default(10_000),
  'llama.rope.scaling.type': z.literal('none').optional(),
  'llama.expert_count': z.literal(0).optional(),
  'tokenizer.ggml.model': z.literal('gpt2'),
  'tokenizer.ggml.pre': z.literal('smollm'),
  'tokenizer.ggml.add_bos_token': z.literal(false).optional(),
  'tokenizer.ggml.tokens': z.array(z.string()),
  'tokenizer.ggml.token_type': z.array(z.int()),
  'tokenizer.ggml.merges': z.array(z.string()),
  'tokenizer.ggml.bos_token_id': z.int().nonnegative().optional(),
  'tokenizer.ggml.eos_token_id': z.int().nonnegative(),
  'tokenizer.ggml.padding_token_id': z.int().nonnegative().optional(),
  'tokenizer.chat_template': z.string().max(65_536).optional(),
});
type Metadata = z.infer<typeof metadataSchema>;

/** Splitting of the text before the merges, by `tokenizer.ggml.pre`. */
const PRE_TOKENIZERS = {
  smollm: [
    { type: 'Digits', individual_digits: true },
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  ],
} as const;

/** `tokenizer.ggml.token_type` of tokens that are matched as a whole. */
const CONTROL_TOKEN = 3;
const USER_TOKEN = 4;
/** Decimal digits of a single-precision number. */
const SINGLE_DIGITS = 7;

/** Returns null if the file can be converted, else the reason. */
export function convertible(gguf: GgufFile, path: string): string | null {
  try {
    plan(gguf, path);
    return null;
  } catch (error) {
    if (error instanceof StpError) return error.message;
    throw error;
  }
}

function plan(gguf: GgufFile, path: string) {
  const parsed = metadataSchema.safeParse(Object.fromEntries(gguf.metadata));
  if (!parsed.success) throw foreign(path, describeIssues(parsed.error), parsed.error);
  return { metadata: parsed.data, tensors: renamed(gguf, parsed.data, path) };
}

/** Throws STP1302 if the file is damaged or cannot be converted. `directory` must not exist. */
export async function ggufToFolder(path: string, directory: string): Promise<void> {
  const { metadata, tensors } = plan(await readGguf(path), path);
  const tokenizer = JSON.stringify(tokenizerOf(metadata));
  const endId = metadata['tokenizer.ggml.eos_token_id'];
  readTokenizer(tokenizer, path, () => ({ endIds: [endId], padId: null }));
  const partial = `${resolve(directory)}.partial-${randomBytes(6).toString('hex')}`;
  await mkdir(partial, { recursive: true });
  try {
    const writeJson = (name: string, json: object) =>
      writeFile(join(partial, name), `${JSON.stringify(json, null, 2)}\n`);
    await writeJson('config.json', configOf(metadata, tensors));
    await writeJson('generation_config.json', { eos_token_id: endId, ...idsOf(metadata) });
    await writeJson('tokenizer_config.json', tokenizerConfigOf(metadata));
    await writeFile(join(partial, 'tokenizer.json'), tokenizer);
    await writeWeights(path, join(partial, WEIGHTS_FILE), tensors, metadata);
    await rename(partial, directory);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the tensors under Hugging Face's names. Missing and further tensors are refused. */
function renamed({ tensors }: GgufFile, metadata: Metadata, path: string): ReadonlyMap<string, GgufTensor> {
  const names = new Map([
    ['token_embd', EMBEDDING_TENSOR],
    ['output_norm', FINAL_NORM_TENSOR],
    ['output', HEAD_TENSOR],
  ]);
  for (let layer = 0; layer < metadata['llama.block_count']; layer++) {
    const theirs = layerTensors(layer);
    const ours = { attn_norm: theirs.inputNorm, attn_q: theirs.query, attn_k: theirs.key, attn_v: theirs.value };
    const rest = { attn_output: theirs.output, ffn_norm: theirs.postNorm, ffn_gate: theirs.gate };
    const all = { ...ours, ...rest, ffn_up: theirs.up, ffn_down: theirs.down };
    for (const [name, theirName] of Object.entries(all)) names.set(`blk.${layer}.${name}`, theirName);
  }
  const found = new Map<string, GgufTensor>();
  for (const tensor of tensors) {
    const name = names.get(tensor.name.replace(/\.weight$/, ''));
    if (name === undefined || !tensor.name.endsWith('.weight'))
      throw foreign(path, `tensor ${tensor.name} is not part of a Llama`);
    if (tensor.type.read === null)
      throw foreign(path, `tensor ${tensor.name} is ${tensor.type.name}, which is not converted`);
    found.set(name, tensor);
  }
  const missing = [...names.values()].find((name) => name !== HEAD_TENSOR && !found.has(name));
  if (missing !== undefined) throw damaged(path, `tensor ${missing} is missing`);
  return found;
}

/** Returns the shortest decimal with the same single-precision value: a GGUF stores 1e-5 as 9.999999747378752e-6. */
const decimal = (single: number): number => Number(single.toPrecision(SINGLE_DIGITS));

function configOf(metadata: Metadata, tensors: ReadonlyMap<string, GgufTensor>): object {
  const heads = metadata['llama.attention.head_count'];
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    torch_dtype: 'float32',
    vocab_size: metadata['tokenizer.ggml.tokens'].length,
    hidden_size: metadata['llama.embedding_length'],
    intermediate_size: metadata['llama.feed_forward_length'],
    num_hidden_layers: metadata['llama.block_count'],
    num_attention_heads: heads,
    num_key_value_heads: metadata['llama.attention.head_count_kv'] ?? heads,
    max_position_embeddings: metadata['llama.context_length'],
    hidden_act: 'silu',
    rms_norm_eps: decimal(metadata['llama.attention.layer_norm_rms_epsilon']),
    rope_theta: decimal(metadata['llama.rope.freq_base']),
    rope_scaling: null,
    tie_word_embeddings: !tensors.has(HEAD_TENSOR),
    attention_bias: false,
    mlp_bias: false,
    eos_token_id: metadata['tokenizer.ggml.eos_token_id'],
    ...idsOf(metadata),
    ...(metadata['general.license'] === undefined ? {} : { license: metadata['general.license'] }),
  };
}

const idsOf = (metadata: Metadata) => ({
  bos_token_id: metadata['tokenizer.ggml.bos_token_id'] ?? null,
  pad_token_id: metadata['tokenizer.ggml.padding_token_id'] ?? null,
});

function tokenizerOf(metadata: Metadata): object {
  const tokens = metadata['tokenizer.ggml.tokens'];
  const types = metadata['tokenizer.ggml.token_type'];
  return byteLevelFile({
    tokens,
    added: tokens.flatMap((content, id) =>
      types[id] === CONTROL_TOKEN || types[id] === USER_TOKEN
        ? [{ id, content, special: types[id] === CONTROL_TOKEN }]
        : [],
    ),
    preTokenizers: PRE_TOKENIZERS[metadata['tokenizer.ggml.pre']],
    merges: metadata['tokenizer.ggml.merges'],
  });
}

function tokenizerConfigOf(metadata: Metadata): object {
  const tokenOf = (id: number | undefined) => (id === undefined ? null : metadata['tokenizer.ggml.tokens'][id]);
  const template = metadata['tokenizer.chat_template'];
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: tokenOf(metadata['tokenizer.ggml.bos_token_id']),
    eos_token: tokenOf(metadata['tokenizer.ggml.eos_token_id']),
    pad_token: tokenOf(metadata['tokenizer.ggml.padding_token_id']),
    model_max_length: metadata['llama.context_length'],
    clean_up_tokenization_spaces: false,
    ...(template === undefined ? {} : { chat_template: template }),
  };
}

/** Writes the weights with one tensor in memory at a time. */
async function writeWeights(
  from: string,
  to: string,
  tensors: ReadonlyMap<string, GgufTensor>,
  metadata: Metadata,
): Promise<void> {
  const heads = metadata['llama.attention.head_count'];
  const keyValueHeads = metadata['llama.attention.head_count_kv'] ?? heads;
  const source = await open(from);
  const target = await open(to, 'wx');
  try {
    await target.writeFile(safetensorsHeader([...tensors].map(([name, { shape }]) => ({ name, shape }))));
    for (const [name, tensor] of tensors) {
      const values = tensor.type.read!(await readTensorBytes(source, tensor));
      const turned = name.endsWith('q_proj.weight') ? heads : name.endsWith('k_proj.weight') ? keyValueHeads : null;
      const ordered = turned === null ? values : inHalves(values, turned, tensor.shape as [number, number]);
      await target.writeFile(littleEndian(ordered));
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}

/**
 * Reorders a head's rows for Hugging Face. llama.cpp rotates neighbours (rows 2i and 2i + 1) against each other,
 * Hugging Face row i of the first half and row i of the second.
 */
function inHalves(values: Float32Array, heads: number, [rows, columns]: readonly [number, number]): Float32Array {
  const size = rows / heads;
  const ordered = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const within = row % size;
    const half = within % 2;
    const to = row - within + half * (size / 2) + (within - half) / 2;
    ordered.set(values.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return ordered;
}
