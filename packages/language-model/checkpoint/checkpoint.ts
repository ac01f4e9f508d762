/**
 * A checkpoint folder: a model in Hugging Face's form, the record of its training, and a manifest with the checksum of
 * every file. It is written under a temporary name and renamed, so it exists whole or not at all. `model-folder.ts`
 * reads it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import { damaged } from '../damaged.ts';
import type { ProofWords } from '../tokenizer/proof-words.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { writeTokenizer } from '../tokenizer/tokenizer-file.ts';
import type { ModelShape } from '../trainer.ts';
import { configOf, generationConfigOf, modelShapeSchema, tokenizerConfigOf } from './config.ts';
import { FILE_BYTES_MAX, type ModelFiles, parseJson, readWhole } from './files.ts';
import { tensorProblem, tokenizerProblem } from './fit.ts';
import { type LlamaParts, llamaTensorShapes } from './llama-tensors.ts';
import {
  ADAPTER_FILE,
  type AnyFile,
  CHECKPOINT_FILES,
  type CheckpointManifest,
  FOREIGN_FILES,
  MANIFEST_FILE,
  manifestOf,
  manifestSchema,
  sha256Hex,
  WEIGHTS_FILE,
} from './manifest.ts';
import { type Tensor, writeSafetensors } from './safetensors.ts';
import { type TrainingRecord, trainingRecordSchema } from './training-record.ts';

export interface Checkpoint {
  readonly shape: ModelShape;
  /** Default: the constants of this project's own models. */
  readonly constants?: LlamaParts;
  /** Exactly the tensors of `llamaTensorShapes(shape, constants)`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly tokenizer: Tokenizer;
  /** Words that its proofs may contain, if their names are slots. */
  readonly proofWords: ProofWords | null;
  readonly training: TrainingRecord;
  /** Files that the training took over from its starting folder; a fresh model has none. */
  readonly kept?: KeptFiles | null;
}

/** Files that a training takes over from the folder that it starts from. */
export type KeptFiles = Readonly<Partial<Record<AnyFile, Buffer>>>;

const KEPT_FILES: readonly AnyFile[] = [
  ...CHECKPOINT_FILES.filter((name) => name !== WEIGHTS_FILE && name !== 'training.json'),
  ...FOREIGN_FILES,
];
const MANIFEST_BYTES_MAX = 64 * 1024;
/** Separates a checkpoint's name from random digits in the name of an unfinished folder. */
const PARTIAL_MARK = '.partial-';

/** Writes `directory`, which must be missing or empty. Throws STP1002 if it is not, or if the parts do not match. */
export async function writeCheckpoint(directory: string, checkpoint: Checkpoint): Promise<CheckpointManifest> {
  const { shape, constants, tokenizer, kept = null } = checkpoint;
  const parsed = kept === null ? modelShapeSchema.safeParse(shape) : null;
  if (parsed?.error) throw unfit(directory, describeIssues(parsed.error));
  const problem = tensorProblem(shape, checkpoint.tensors, constants) ?? tokenizerProblem(shape, tokenizer);
  if (problem !== null) throw unfit(directory, problem);
  if (await isOccupied(directory)) throw unfit(directory, 'the folder is there and not empty');

  const names = [...llamaTensorShapes(shape, constants).keys()];
  const contents: Partial<Record<AnyFile, Buffer>> = {
    ...(kept === null ? freshFiles(checkpoint) : keptFor(kept, checkpoint.proofWords)),
    'model.safetensors': writeSafetensors(new Map(names.map((name) => [name, checkpoint.tensors.get(name)!]))),
    'training.json': jsonBytes(trainingRecordSchema.parse(checkpoint.training)),
  };
  const manifest = manifestOf(contents);
  const temporary = `${resolve(directory)}${PARTIAL_MARK}${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(temporary, { recursive: true });
    for (const { name } of manifest.files) await writeDurably(join(temporary, name), contents[name]!);
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

/** Removes the unfinished folders that killed writers of `directory` left. No writer of `directory` may be running. */
export async function removePartialCheckpoints(directory: string): Promise<void> {
  const parent = dirname(resolve(directory));
  const prefix = `${basename(resolve(directory))}${PARTIAL_MARK}`;
  const names = await readdir(parent).catch(() => []);
  for (const name of names) if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
}

/**
 * Opens the files of a checkpoint; each is checked against the manifest when it is read. Throws STP1302 if the manifest
 * is missing or malformed, STP1002 for an adapter; reading throws STP1302 if a file differs from the manifest.
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

/** Reads the files that `writeCheckpoint` keeps. Throws STP1302 if one differs from the manifest. */
export async function keptFiles(files: ModelFiles): Promise<KeptFiles> {
  const read = KEPT_FILES.map(async (name) => [name, await files.find(name, FILE_BYTES_MAX)] as const);
  return Object.fromEntries((await Promise.all(read)).filter(([, content]) => content !== null));
}

/** Reads the manifest alone, without the weights. Throws STP1302 if it is missing or malformed. */
export async function readManifest(directory: string): Promise<CheckpointManifest> {
  const path = join(directory, MANIFEST_FILE);
  const read = parseJson(await readWhole(path, MANIFEST_BYTES_MAX), path, (json) => manifestSchema.safeParse(json));
  if (!read.success) throw damaged(path, describeIssues(read.error), read.error);
  return read.data;
}

const freshFiles = ({ shape, tokenizer, proofWords }: Checkpoint): KeptFiles => ({
  'config.json': jsonBytes(configOf(shape, tokenizer)),
  'generation_config.json': jsonBytes(generationConfigOf(tokenizer)),
  'tokenizer.json': Buffer.from(writeTokenizer(tokenizer)),
  'tokenizer_config.json': jsonBytes(tokenizerConfigOf(shape, proofWords)),
});

/** Returns the kept files, with the weights' type set to float32 and the words of new proofs added. */
function keptFor(kept: KeptFiles, proofWords: ProofWords | null): KeptFiles {
  const words: Readonly<Record<string, unknown>> = proofWords === null ? {} : { proof_words: proofWords };
  return {
    ...kept,
    'config.json': changed(kept['config.json'], ({ dtype, torch_dtype: older }) => ({
      ...(dtype !== undefined && { dtype: 'float32' }),
      ...(older !== undefined && { torch_dtype: 'float32' }),
    })),
    'generation_config.json': kept['generation_config.json'] ?? jsonBytes({}),
    'tokenizer_config.json': changed(kept['tokenizer_config.json'], () => words),
  };
}

/** Returns a JSON object with some fields changed; the original bytes if no field differs. */
function changed(
  bytes: Buffer = jsonBytes({}),
  changesOf: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Buffer {
  const fields = z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString('utf8')));
  const changes = Object.entries(changesOf(fields));
  if (changes.every(([name, value]) => isDeepStrictEqual(fields[name], value))) return bytes;
  return jsonBytes({ ...fields, ...Object.fromEntries(changes) });
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
