/**
 * Reads a Llama from elsewhere, as `save_pretrained` of Hugging Face's `transformers` writes it: `config.json`, the
 * weights in one safetensors file or in shards with an index, and a `tokenizer.json` of the kind this project writes.
 * It has no checksums; everything else is checked as for a checkpoint of our own.
 */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { damaged, foreign } from '../damaged.ts';
import type { ProofWords } from '../tokenizer/proof-words.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { readTokenizer } from '../tokenizer/tokenizer-file.ts';
import type { ModelShape } from '../trainer.ts';
import { shapeFrom, sizeFields } from './config.ts';
import { FILE_BYTES_MAX, parseJson, readWhole } from './files.ts';
import { tensorProblem, tokenizerProblem } from './fit.ts';
import { type LlamaConstants, ROPE_THETA } from './llama-tensors.ts';
import { MODEL_HEX_DIGITS, WEIGHTS_FILE } from './manifest.ts';
import { readSafetensors, type Tensor } from './safetensors.ts';

export interface LlamaFolder {
  readonly shape: ModelShape;
  readonly constants: LlamaConstants;
  /** The tensors of `llamaTensorShapes(shape)`, all of them and no other. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly tokenizer: Tokenizer;
  /** Of a checkpoint of ours alone. */
  readonly proofWords: ProofWords | null;
  /** First hex digits of the SHA-256 of the weights' bytes, as a checkpoint's. */
  readonly model: string;
}

const INDEX_FILE = `${WEIGHTS_FILE}.index.json`;
const JSON_BYTES_MAX = 4 * 1024 * 1024;
const TOKENIZER_BYTES_MAX = 64 * 1024 * 1024;
const SHARDS_MAX = 64;

const ropeSchema = z.looseObject({
  rope_type: z.literal('default').optional(),
  rope_theta: z.number().positive().max(1e9).optional(),
});

/** Unknown fields are allowed; fields that change the computation must match the engine's computation. */
const configSchema = z.looseObject({
  ...sizeFields,
  tie_word_embeddings: z.boolean().default(false),
  model_type: z.literal('llama'),
  architectures: z.tuple([z.literal('LlamaForCausalLM')]),
  head_dim: z.int().nullish(),
  hidden_act: z.literal('silu'),
  rms_norm_eps: z.number().positive().max(1),
  // Before version 5 of `transformers` the base stood by itself.
  rope_theta: z.number().positive().max(1e9).optional(),
  rope_parameters: ropeSchema.nullish(),
  rope_scaling: z.null().optional(),
  attention_bias: z.literal(false).optional(),
  mlp_bias: z.literal(false).optional(),
  auto_map: z.undefined().optional(),
});

const indexSchema = z.looseObject({
  weight_map: z.record(z.string().max(256), z.string().regex(/^[\w-][\w.-]{0,127}\.safetensors$/)),
});

/** Throws STP1302 where a file is missing or not what the engine can run. */
export async function readLlamaFolder(directory: string): Promise<LlamaFolder> {
  const path = (name: string) => join(directory, name);
  const config = await readWhole(path('config.json'), JSON_BYTES_MAX);
  const { shape, constants } = parseJson(config, path('config.json'), architectureOf);
  const text = await readWhole(path('tokenizer.json'), TOKENIZER_BYTES_MAX);
  const tokenizer = readTokenizer(text.toString('utf8'), path('tokenizer.json'));
  const { tensors, model } = await readWeights(directory);
  const problem = tensorProblem(shape, tensors) ?? tokenizerProblem(shape, tokenizer);
  if (problem !== null) throw foreign(directory, problem);
  return { shape, constants, tensors, tokenizer, proofWords: null, model };
}

/** Shape and constants in a parsed `config.json` of Hugging Face's form, ours included; a ZodError where the engine cannot run it. */
export function architectureOf(json: unknown): Pick<LlamaFolder, 'shape' | 'constants'> {
  const config = configSchema.parse(json);
  const ropeTheta = config.rope_parameters?.rope_theta ?? config.rope_theta ?? ROPE_THETA;
  return { shape: shapeFrom(config), constants: { rmsEpsilon: config.rms_norm_eps, ropeTheta } };
}

/** One file, or the shards the index names: each tensor in the shard it says, and nothing else in any. */
async function readWeights(directory: string): Promise<Pick<LlamaFolder, 'tensors' | 'model'>> {
  const indexPath = join(directory, INDEX_FILE);
  const isSharded = await access(indexPath).then(
    () => true,
    () => false,
  );
  const hash = createHash('sha256');
  const tensors = new Map<string, Tensor>();
  let bytesLeft = FILE_BYTES_MAX;
  const readShard = async (name: string) => {
    const path = join(directory, name);
    const content = await readWhole(path, bytesLeft);
    bytesLeft -= content.length;
    hash.update(content);
    return readSafetensors(content, path);
  };
  if (isSharded) {
    const { weight_map: places } = parseJson(await readWhole(indexPath, JSON_BYTES_MAX), indexPath, (json) =>
      indexSchema.parse(json),
    );
    const shards = [...new Set(Object.values(places))].sort();
    if (shards.length > SHARDS_MAX) throw damaged(indexPath, `${shards.length} files, ${SHARDS_MAX} allowed`);
    for (const shard of shards)
      for (const [name, tensor] of await readShard(shard)) {
        if (places[name] !== shard) throw damaged(indexPath, `tensor ${name} is in ${shard}, where it does not belong`);
        tensors.set(name, tensor);
      }
  } else for (const [name, tensor] of await readShard(WEIGHTS_FILE)) tensors.set(name, tensor);
  return { tensors, model: hash.digest('hex').slice(0, MODEL_HEX_DIGITS) };
}
