/**
 * An encoder-decoder as Hugging Face's `optimum-cli export onnx` writes it: a T5 over bytes (ByT5, and ReProver's
 * generators), with a decoder in one of three forms. Reads the model's description; `model.ts` opens the graphs.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StpError } from '@stp/base';
import { z } from 'zod';
import { parseJson, readWhole } from '../checkpoint/files.ts';
import { MODEL_HEX_DIGITS } from '../checkpoint/manifest.ts';
import { BYTE_END_ID, BYTE_IDS, BYTE_PAD_ID } from './byte-tokenizer.ts';

const ENCODER_FILE = 'encoder_model.onnx';
const MERGED_FILE = 'decoder_model_merged.onnx';
const DECODER_FILE = 'decoder_model.onnx';
const WITH_PAST_FILE = 'decoder_with_past_model.onnx';
const JSON_BYTES_MAX = 4 * 1024 * 1024;
const size = z.int().positive().max(65_536);

/** Fields that affect the computation must have the values of a T5 over bytes; others are ignored. */
const configSchema = z.looseObject({
  model_type: z.literal('t5'),
  is_encoder_decoder: z.literal(true),
  vocab_size: z.int().min(BYTE_IDS).max(1_024),
  d_model: size,
  d_kv: size,
  num_heads: size,
  pad_token_id: z.literal(BYTE_PAD_ID),
  eos_token_id: z.literal(BYTE_END_ID),
  decoder_start_token_id: z.int().nonnegative().max(1_023).optional(),
});
const generationSchema = z.looseObject({
  decoder_start_token_id: z.int().nonnegative().max(1_023).optional(),
});
const tokenizerSchema = z.looseObject({ tokenizer_class: z.literal('ByT5Tokenizer') });

/**
 * The decoder's graphs. `merged`: one with and without cache. `split`: one for the beginning, one with cache.
 * `plain`: no cache.
 */
export type DecoderFiles =
  | { readonly kind: 'merged'; readonly decoder: string }
  | { readonly kind: 'split'; readonly decoder: string; readonly withPast: string }
  | { readonly kind: 'plain'; readonly decoder: string };

export interface EncoderDecoderFolder {
  /** First hex digits of the SHA-256 of configuration and graphs. */
  readonly model: string;
  readonly encoder: string;
  readonly decoder: DecoderFiles;
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly heads: number;
  /** Width of a head. */
  readonly headSize: number;
  /** The first token of every answer. */
  readonly startId: number;
}

/** Returns whether a folder contains such a model, complete or not. */
export const isEncoderDecoderFolder = (folder: string): Promise<boolean> => isThere(join(folder, ENCODER_FILE));

/** Throws STP1302 for a folder of another model, or if a file is missing. */
export async function readEncoderDecoderFolder(folder: string): Promise<EncoderDecoderFolder> {
  const read = async <Value>(name: string, schema: z.ZodType<Value>): Promise<Value> =>
    parseJson(await readWhole(join(folder, name), JSON_BYTES_MAX), join(folder, name), (json) => schema.parse(json));
  const config = await read('config.json', configSchema);
  const has = (name: string): Promise<boolean> => isThere(join(folder, name));
  const generation = (await has('generation_config.json'))
    ? await read('generation_config.json', generationSchema)
    : {};
  if (await has('tokenizer_config.json')) await read('tokenizer_config.json', tokenizerSchema);
  const decoder = await decoderFiles(folder, has);
  return {
    model: await digestOf(folder),
    encoder: join(folder, ENCODER_FILE),
    decoder,
    vocabularySize: config.vocab_size,
    hiddenSize: config.d_model,
    heads: config.num_heads,
    headSize: config.d_kv,
    startId: generation.decoder_start_token_id ?? config.decoder_start_token_id ?? BYTE_PAD_ID,
  };
}

async function decoderFiles(folder: string, has: (name: string) => Promise<boolean>): Promise<DecoderFiles> {
  const decoder = join(folder, DECODER_FILE);
  if (await has(MERGED_FILE)) return { kind: 'merged', decoder: join(folder, MERGED_FILE) };
  if (!(await has(DECODER_FILE)))
    throw new StpError(
      'STP1302',
      `${folder} has an encoder, but neither ${MERGED_FILE} nor ${DECODER_FILE}`,
      'Export it whole: optimum-cli export onnx --task text2text-generation-with-past.',
    );
  if (await has(WITH_PAST_FILE)) return { kind: 'split', decoder, withPast: join(folder, WITH_PAST_FILE) };
  return { kind: 'plain', decoder };
}

/** Hashes configuration, graphs and their data, in the order of their names. */
async function digestOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name === 'config.json' || /\.onnx(?:_data)?$/u.test(name));
  const hash = createHash('sha256');
  for (const name of names.sort()) {
    hash.update(`${name}\n`);
    await pipeline(createReadStream(join(folder, name)), hash, { end: false });
  }
  return hash.digest('hex').slice(0, MODEL_HEX_DIGITS);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
