/**
 * A checkpoint folder: weights, shape, tokenizer and how they were trained, readable by Hugging Face tools. Written under
 * a temporary name and renamed, so it is there whole or not at all; read only when every checksum holds.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { damaged } from '../damaged.ts';
import type { ProofWords } from '../tokenizer/proof-words.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { readTokenizer, writeTokenizer } from '../tokenizer/tokenizer-file.ts';
import type { ModelShape } from '../trainer.ts';
import { configOf, generationConfigOf, modelShapeSchema, proofWordsIn, shapeOf, tokenizerConfigOf } from './config.ts';
import { FILE_BYTES_MAX, type ModelFiles, parseJson, readWhole } from './files.ts';
import { tensorProblem, tokenizerProblem } from './fit.ts';
import { llamaTensorShapes } from './llama-tensors.ts';
import {
  ADAPTER_FILE,
  CHECKPOINT_FILES,
  type CheckpointFile,
  type CheckpointManifest,
  MANIFEST_FILE,
  manifestOf,
  manifestSchema,
  sha256Hex,
  WEIGHTS_FILE,
} from './manifest.ts';
import { readSafetensors, type Tensor, writeSafetensors } from './safetensors.ts';
import { type TrainingRecord, trainingRecordSchema } from './training-record.ts';

export interface Checkpoint {
  readonly shape: ModelShape;
  /** The tensors of `llamaTensorShapes(shape)`, all of them and no other. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly tokenizer: Tokenizer;
  /** Words that its proofs may have, if their names are slots. */
  readonly proofWords: ProofWords | null;
  readonly training: TrainingRecord;
}

const MANIFEST_BYTES_MAX = 64 * 1024;
/** Between a checkpoint's name and random digits: the name of a folder being written. */
const PARTIAL_MARK = '.partial-';

/** Writes `directory`, which must not exist or be empty. Throws STP1002 where it does, or where the parts do not fit. */
export async function writeCheckpoint(directory: string, checkpoint: Checkpoint): Promise<CheckpointManifest> {
  const { shape, tokenizer } = checkpoint;
  const parsed = modelShapeSchema.safeParse(shape);
  if (!parsed.success) throw unfit(directory, describeIssues(parsed.error));
  const problem = tensorProblem(shape, checkpoint.tensors) ?? tokenizerProblem(shape, tokenizer);
  if (problem !== null) throw unfit(directory, problem);
  if (await isOccupied(directory)) throw unfit(directory, 'the folder is there and not empty');

  const ordered = new Map([...llamaTensorShapes(shape).keys()].map((name) => [name, checkpoint.tensors.get(name)!]));
  const contents: Record<CheckpointFile, Buffer> = {
    'config.json': jsonBytes(configOf(shape, tokenizer)),
    'generation_config.json': jsonBytes(generationConfigOf(tokenizer)),
    'model.safetensors': writeSafetensors(ordered),
    'tokenizer.json': Buffer.from(writeTokenizer(tokenizer)),
    'tokenizer_config.json': jsonBytes(tokenizerConfigOf(shape, checkpoint.proofWords)),
    'training.json': jsonBytes(trainingRecordSchema.parse(checkpoint.training)),
  };
  const manifest = manifestOf(contents);
  const temporary = `${resolve(directory)}${PARTIAL_MARK}${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(temporary, { recursive: true });
    for (const name of CHECKPOINT_FILES) await writeDurably(join(temporary, name), contents[name]);
    await writeDurably(join(temporary, MANIFEST_FILE), jsonBytes(manifest));
    await rename(temporary, directory);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StpError(
      'STP1401',
      `checkpoint ${directory}: ${reason}`,
      'Check free space and permissions of the folder.',
      {
        cause,
        retryable: true,
      },
    );
  }
  return manifest;
}

/** Removes what writers of `directory` that were killed left behind. None may be writing it now. */
export async function removePartialCheckpoints(directory: string): Promise<void> {
  const parent = dirname(resolve(directory));
  const prefix = `${basename(resolve(directory))}${PARTIAL_MARK}`;
  const names = await readdir(parent).catch(() => []);
  for (const name of names) if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
}

/**
 * The files of a checkpoint, each checked against the manifest when it is read. Throws STP1302 where the manifest is
 * missing or malformed, STP1002 for an adapter; reading throws STP1302 where a file is not what the manifest says.
 */
export async function checkpointFiles(
  directory: string,
): Promise<ModelFiles & { readonly manifest: CheckpointManifest }> {
  const manifest = await readManifest(directory);
  const listed = new Map<string, CheckpointManifest['files'][number]>(manifest.files.map((file) => [file.name, file]));
  if (listed.has(ADAPTER_FILE)) {
    const advice = 'Give a whole model: set engines.trainer.lora.output to merged, or serve the adapter with its base.';
    throw new StpError('STP1002', `${directory} holds an adapter, not a whole model`, advice);
  }
  const path = (name: string): string => join(directory, name);
  const find: ModelFiles['find'] = async (name, bytesMax) => {
    const file = listed.get(name);
    if (file === undefined) return null;
    const content = await readWhole(path(name), bytesMax);
    if (content.length !== file.bytes)
      throw damaged(path(name), `${content.length} bytes, the manifest says ${file.bytes}`);
    if (sha256Hex(content) !== file.sha256) throw damaged(path(name), 'checksum differs from the manifest');
    return content;
  };
  const read: ModelFiles['read'] = async (name, bytesMax) => {
    const content = await find(name, bytesMax);
    if (content === null) throw damaged(path(name), 'the manifest does not list it');
    return content;
  };
  return { manifest, path, find, read };
}

/** Throws STP1302 where a file is missing, cut short, altered or not what its manifest says, STP1002 for an adapter. */
export async function readCheckpoint(
  directory: string,
): Promise<Checkpoint & { readonly manifest: CheckpointManifest }> {
  const { manifest, path, read } = await checkpointFiles(directory);
  const json = async <Value>(name: CheckpointFile, parse: (json: unknown) => Value): Promise<Value> =>
    parseJson(await read(name, FILE_BYTES_MAX), path(name), parse);
  const shape = await json('config.json', shapeOf);
  const training = await json('training.json', (value) => trainingRecordSchema.parse(value));
  await json('generation_config.json', (value) => value);
  const text = (await read('tokenizer.json', FILE_BYTES_MAX)).toString('utf8');
  const tokenizer = readTokenizer(text, path('tokenizer.json'));
  const proofWords = await json('tokenizer_config.json', proofWordsIn);
  const tensors = readSafetensors(await read(WEIGHTS_FILE, FILE_BYTES_MAX), path(WEIGHTS_FILE));
  const problem = tensorProblem(shape, tensors) ?? tokenizerProblem(shape, tokenizer);
  if (problem !== null) throw damaged(directory, problem);
  return { shape, tensors, tokenizer, proofWords, training, manifest };
}

/** The manifest alone, without reading the weights. Throws STP1302 where it is missing or malformed. */
export async function readManifest(directory: string): Promise<CheckpointManifest> {
  const path = join(directory, MANIFEST_FILE);
  const read = parseJson(await readWhole(path, MANIFEST_BYTES_MAX), path, (json) => manifestSchema.safeParse(json));
  if (!read.success) throw damaged(path, describeIssues(read.error), read.error);
  return read.data;
}

async function isOccupied(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function unfit(directory: string, problem: string): StpError {
  return new StpError('STP1002', `checkpoint ${directory}: ${problem}`, 'Give an empty folder and parts of one model.');
}
