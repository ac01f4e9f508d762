/**
 * Reads the model in a folder, for sampling or training: one of our checkpoints, whose files have checksums, or a
 * folder that `save_pretrained` of Hugging Face's `transformers` wrote: `config.json`, the tokenizer, and the weights
 * in one safetensors file or in shards with an index. Other forms of weights are refused: a pickle runs code when it is
 * read.
 */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TemplateData } from '../chat/template-messages.ts';
import { damaged, foreign } from '../damaged.ts';
import type { ProofWords } from '../tokenizer/proof-words.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ModelShape } from '../trainer.ts';
import { type Architecture, architectureOf } from './architecture.ts';
import { checkpointFiles } from './checkpoint.ts';
import { FILE_BYTES_MAX, folderFiles, isThere, type ModelFiles, parseJson } from './files.ts';
import { tensorProblem, tokenizerProblem } from './fit.ts';
import { JSON_BYTES_MAX, readFolderTokenizer } from './folder-tokenizer.ts';
import { HEAD_TENSOR, llamaTensorShapes } from './llama-tensors.ts';
import { type CheckpointFile, MANIFEST_FILE, MODEL_HEX_DIGITS, WEIGHTS_FILE } from './manifest.ts';
import { readSafetensors, readTensorHeaders, type Tensor, type TensorHeader } from './safetensors.ts';
import { type TrainingRecord, trainingRecordSchema } from './training-record.ts';

export interface ModelFolder extends Architecture {
  /** Exactly the tensors of `llamaTensorShapes(shape, constants)`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly tokenizer: Tokenizer;
  /** Null if the model has none. */
  readonly template: TemplateData | null;
  /** Words of proofs; only our own checkpoints have them. */
  readonly proofWords: ProofWords | null;
  /** First 20 hex digits of the SHA-256 of the weights' bytes. */
  readonly model: string;
  /** The record of its training; only our own checkpoints have one. */
  readonly training: TrainingRecord | null;
}

/** A file that only our checkpoints have: a folder with it but without a manifest is incomplete. */
const TRAINING_FILE: CheckpointFile = 'training.json';
const INDEX_FILE = `${WEIGHTS_FILE}.index.json`;
const SHARDS_MAX = 64;
/** Maximum bytes of weights in a graph; the rest of 2 GiB is for everything else. */
export const WEIGHT_BYTES_MAX = 2 ** 31 - 2 ** 26;
const PICKLE = /\.(?:bin|pt|pth|pkl|ckpt)$/;
/** Tensors that old files contain, although the configuration determines them. */
const FREQUENCIES = /\.rotary_emb\.inv_freq$/;

const indexSchema = z.looseObject({
  weight_map: z.record(z.string().max(256), z.string().regex(/^[\w-][\w.-]{0,127}\.safetensors$/)),
  metadata: z
    .looseObject({ total_size: z.number().optional().catch(undefined) })
    .nullish()
    .catch(null),
});

/** Opens the files of a model's folder. For our own checkpoints each file is checked against the manifest when read. */
export async function modelFiles(directory: string): Promise<ModelFiles> {
  const isOurs = (await isThere(join(directory, MANIFEST_FILE))) || (await isThere(join(directory, TRAINING_FILE)));
  return isOurs ? checkpointFiles(directory) : folderFiles(directory);
}

/** Throws STP1302 if a file is missing, damaged, or not supported by the engine. */
export async function readModel(directory: string): Promise<ModelFolder> {
  const files = await modelFiles(directory);
  const { shape, constants } = await readArchitecture(files);
  const bytes = weightBytes({ shape, constants });
  if (bytes > WEIGHT_BYTES_MAX)
    throw foreign(
      directory,
      `${Math.round(bytes / 4e6)} million weights, ${Math.round(WEIGHT_BYTES_MAX / 4e6)} allowed`,
    );
  const { tokenizer, template, proofWords } = await readFolderTokenizer(files);
  const misfit = tokenizerProblem(shape, tokenizer, !('manifest' in files));
  if (misfit !== null) throw foreign(directory, misfit);
  const { tensors: all, model } = await readWeights(files, directory);
  const tensors = withoutRedundant(all, shape);
  const problem = tensorProblem(shape, tensors, constants);
  if (problem !== null) throw foreign(directory, problem);
  const record = await files.find(TRAINING_FILE, JSON_BYTES_MAX);
  const training =
    record === null ? null : parseJson(record, files.path(TRAINING_FILE), (json) => trainingRecordSchema.parse(json));
  return { shape, constants, tensors, tokenizer, template, proofWords, model, training };
}

/** Throws STP1302 if the engine cannot run the model. */
export async function readArchitecture(files: ModelFiles): Promise<Architecture> {
  return parseJson(await files.read('config.json', JSON_BYTES_MAX), files.path('config.json'), architectureOf);
}

/** Returns the size of all weights in float32, bytes. */
export function weightBytes({ shape, constants }: Architecture): number {
  let values = 0;
  for (const dimensions of llamaTensorShapes(shape, constants).values())
    values += dimensions.reduce((product, size) => product * size, 1);
  return 4 * values;
}

/**
 * Returns the tensors that the model computes with: without the frequencies of old files, and without a head tied to
 * the embedding.
 */
export function withoutRedundant<T>(tensors: ReadonlyMap<string, T>, { tiedEmbeddings }: ModelShape): Map<string, T> {
  const isRedundant = (name: string): boolean =>
    FREQUENCIES.test(name) || (tiedEmbeddings !== false && name === HEAD_TENSOR);
  return new Map([...tensors].filter(([name]) => !isRedundant(name)));
}

/** Returns the model's name in records: a hash of its weight files, which are read one at a time. */
export async function modelName(directory: string): Promise<string> {
  const hash = createHash('sha256');
  const files = await modelFiles(directory);
  for await (const { content } of weightFiles(files, directory)) hash.update(content);
  return hash.digest('hex').slice(0, MODEL_HEX_DIGITS);
}

/**
 * Reads one file, or the shards of the index. Each tensor must be in its listed shard, and shards contain nothing
 * else.
 */
async function readWeights(files: ModelFiles, directory: string): Promise<Pick<ModelFolder, 'tensors' | 'model'>> {
  const hash = createHash('sha256');
  const tensors = new Map<string, Tensor>();
  for await (const { name: shard, content, weightMap } of weightFiles(files, directory)) {
    hash.update(content);
    for (const [name, tensor] of readSafetensors(content, files.path(shard))) {
      requireListed(files, weightMap, name, shard);
      tensors.set(name, tensor);
    }
  }
  return { tensors, model: hash.digest('hex').slice(0, MODEL_HEX_DIGITS) };
}

/** Throws STP1302 if the index lists the tensor in another file, or not at all. */
function requireListed(files: ModelFiles, weightMap: WeightFile['weightMap'], tensor: string, file: string): void {
  if (weightMap !== null && weightMap[tensor] !== file)
    throw damaged(files.path(INDEX_FILE), `tensor ${tensor} is in ${file}, where it does not belong`);
}

export interface StoredWeights {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Number of values of each type. */
  readonly values: ReadonlyMap<string, number>;
  readonly bytes: number;
  /** What the index says instead of `bytes`; null if it says nothing. */
  readonly bytesOfIndex: number | null;
}

/**
 * Reads the headers of the weight files; null if none is there. Throws STP1302 for a file that is missing or damaged,
 * and for a tensor in another file than the index says.
 */
export async function readStoredWeights(files: ModelFiles): Promise<StoredWeights | null> {
  const { names, weightMap, totalBytes } = await weightFileNames(files);
  if (!(await Promise.all(names.map((name) => isThere(files.path(name))))).some(Boolean)) return null;
  const headers: { readonly file: string; readonly tensors: readonly TensorHeader[] }[] = [];
  for (const file of names) headers.push({ file, tensors: await readTensorHeaders(files.path(file)) });
  const shapes = new Map<string, readonly number[]>();
  const values = new Map<string, number>();
  let bytes = 0;
  for (const { file, tensors } of headers)
    for (const { name, dtype, shape, data_offsets } of tensors) {
      requireListed(files, weightMap, name, file);
      shapes.set(name, shape);
      values.set(dtype, (values.get(dtype) ?? 0) + shape.reduce((product, size) => product * size, 1));
      bytes += data_offsets[1] - data_offsets[0];
    }
  return { shapes, values, bytes, bytesOfIndex: totalBytes };
}

interface WeightFile {
  readonly name: string;
  readonly content: Buffer;
  /** The file of each tensor; null if one file has all. */
  readonly weightMap: Readonly<Record<string, string>> | null;
}

interface WeightFileNames {
  readonly names: readonly string[];
  readonly weightMap: WeightFile['weightMap'];
  /** Bytes of all tensors by the index; null if it does not say. */
  readonly totalBytes: number | null;
}

/** Returns the names of the weight files, and the file of each tensor (null: one file has all). */
async function weightFileNames(files: ModelFiles): Promise<WeightFileNames> {
  const index = await files.find(INDEX_FILE, JSON_BYTES_MAX);
  if (index === null) return { names: [WEIGHTS_FILE], weightMap: null, totalBytes: null };
  const path = files.path(INDEX_FILE);
  const { weight_map: weightMap, metadata } = parseJson(index, path, (json) => indexSchema.parse(json));
  const names = [...new Set(Object.values(weightMap))].sort();
  if (names.length > SHARDS_MAX) throw damaged(path, `${names.length} files, ${SHARDS_MAX} allowed`);
  return { names, weightMap, totalBytes: metadata?.total_size ?? null };
}

async function* weightFiles(files: ModelFiles, directory: string): AsyncGenerator<WeightFile> {
  const { names, weightMap } = await weightFileNames(files);
  if (!(await isThere(files.path(names[0]!)))) await refusePickles(directory);
  let bytesLeft = FILE_BYTES_MAX;
  for (const name of names) {
    const content = await files.read(name, bytesLeft);
    bytesLeft -= content.length;
    yield { name, content, weightMap };
  }
}

async function refusePickles(directory: string): Promise<void> {
  const pickle = await pickleIn(directory);
  if (pickle !== null) throw foreign(directory, pickle);
}

/** Returns a warning if the folder has weights in an unsafe format (pickle), else null. */
export async function pickleIn(directory: string): Promise<string | null> {
  const pickle = (await readdir(directory).catch(() => [])).find((name) => PICKLE.test(name));
  if (pickle === undefined) return null;
  return `${pickle} has weights as a pickle, which runs code when it is read; convert them to safetensors`;
}
