/**
 * Describes a local model (a folder in Hugging Face's form, one of our checkpoints, or a GGUF): its kind, and which
 * engines can sample and train it, with how much memory. Does not read the weights.
 */
import { StpError } from '@stp/base';
import { z } from 'zod';
import type { Architecture } from './checkpoint/architecture.ts';
import { type ModelFiles, parseJson } from './checkpoint/files.ts';
import { shapeProblem, tokenizerProblem } from './checkpoint/fit.ts';
import { JSON_BYTES_MAX, readFolderTokenizer, readTemplate } from './checkpoint/folder-tokenizer.ts';
import {
  modelFiles,
  pickleIn,
  readArchitecture,
  readStoredWeights,
  type StoredWeights,
  WEIGHT_BYTES_MAX,
  weightBytes,
  withoutRedundant,
} from './checkpoint/model-folder.ts';
import { isReadType } from './checkpoint/safetensors.ts';
import { type EngineFit, folderFits, ggufFits } from './engine-fits.ts';
import { readGguf, textIn } from './gguf/gguf-file.ts';

export interface ModelDescription {
  readonly kind: 'folder' | 'checkpoint' | 'gguf';
  readonly architecture: string;
  readonly parameters: number;
  /** Types of the stored values, the most frequent first. */
  readonly precision: readonly string[];
  readonly contextLength: number | null;
  readonly vocabularySize: number | null;
  /** The licence that the files state; null if they state none. */
  readonly licence: string | null;
  readonly hasChatTemplate: boolean;
  /** What index or configuration say otherwise than the stored weights, a line each. No engine goes by them. */
  readonly doubts: readonly string[];
  readonly engines: readonly EngineFit[];
}

/** The types of stored values by their names in `config.json`. */
const STORED_TYPES: Readonly<Record<string, string>> = { float32: 'F32', float16: 'F16', bfloat16: 'BF16' };
/** Ratios of sizes that another precision explains, as far as rounding and tied heads go. */
const PRECISION_RATIOS = [0.25, 0.5, 2, 4];
const RATIO_TOLERANCE = 0.02;

const configSchema = z.looseObject({
  architectures: z.array(z.string().max(200)).min(1).optional(),
  model_type: z.string().max(200),
  max_position_embeddings: z.int().positive().optional(),
  vocab_size: z.int().positive().optional(),
  license: z.string().max(200).optional(),
  // The older name of the field is `torch_dtype`.
  dtype: z.string().max(200).optional().catch(undefined),
  torch_dtype: z.string().max(200).optional().catch(undefined),
});

/** Throws STP1302 if the path is no model. */
export async function describeModel(path: string): Promise<ModelDescription> {
  return path.endsWith('.gguf') ? describeGguf(path) : describeFolder(path);
}

async function describeFolder(directory: string): Promise<ModelDescription> {
  const files = await modelFiles(directory);
  const config = parseJson(await files.read('config.json', JSON_BYTES_MAX), files.path('config.json'), (json) =>
    configSchema.parse(json),
  );
  const stored = await readStoredWeights(files);
  const parameters = stored === null ? 0 : sum(stored.values.values());
  const missing = stored === null ? ((await pickleIn(directory)) ?? 'no weights as safetensors') : null;
  const found = missing ?? (await embeddedArchitecture(files, stored!));
  const isCheckpoint = 'manifest' in files;
  return {
    kind: isCheckpoint ? 'checkpoint' : 'folder',
    architecture: config.architectures?.[0] ?? config.model_type,
    parameters,
    precision: byCount(stored?.values ?? new Map()),
    contextLength: config.max_position_embeddings ?? null,
    vocabularySize: config.vocab_size ?? null,
    licence: config.license ?? null,
    hasChatTemplate: (await readTemplate(files)) !== null,
    doubts: stored === null ? [] : [...sizeDoubts(stored), ...typeDoubts(stored, config.dtype ?? config.torch_dtype)],
    engines: folderFits(parameters, missing, found),
  };
}

/** The index's total size. Published models have wrong ones, and nothing is read by it. */
function sizeDoubts({ bytes, bytesOfIndex }: StoredWeights): string[] {
  if (bytesOfIndex === null || bytesOfIndex === bytes) return [];
  const ratio = bytes / bytesOfIndex;
  const isPrecision = PRECISION_RATIOS.some((one) => Math.abs(ratio / one - 1) < RATIO_TOLERANCE);
  const why = isPrecision ? ', as of another precision' : '';
  return [`the index says ${bytesOfIndex} bytes of weights, the files have ${bytes}${why}`];
}

/** The configuration's type. It is often that of the training, and nothing is read by it. */
function typeDoubts({ values }: StoredWeights, said: string | undefined): string[] {
  const type = said?.replace(/^torch\./, '') ?? '';
  const wanted = Object.hasOwn(STORED_TYPES, type) ? STORED_TYPES[type] : undefined;
  const [most] = byCount(values);
  return wanted === undefined || most === wanted
    ? []
    : [`config.json says ${type}, most weights are stored as ${most}`];
}

/** Returns the architecture, or a line saying why the embedded engine cannot run the model. */
async function embeddedArchitecture(
  files: ModelFiles,
  { shapes, values }: StoredWeights,
): Promise<Architecture | string> {
  try {
    const found = await readArchitecture(files);
    const unread = byCount(values).find((type) => !isReadType(type));
    if (unread !== undefined) return `weights of type ${unread}, which are not read here`;
    const bytes = weightBytes(found);
    if (bytes > WEIGHT_BYTES_MAX)
      return `more weights than a graph holds (${Math.round(bytes / 4e6)} million, ${Math.round(WEIGHT_BYTES_MAX / 4e6)} allowed)`;
    const { tokenizer } = await readFolderTokenizer(files);
    return (
      tokenizerProblem(found.shape, tokenizer, !('manifest' in files)) ??
      shapeProblem(found.shape, withoutRedundant(shapes, found.shape), found.constants) ??
      found
    );
  } catch (error) {
    if (error instanceof StpError) return error.message;
    throw error;
  }
}

async function describeGguf(path: string): Promise<ModelDescription> {
  const { metadata, tensors } = await readGguf(path);
  const values = new Map<string, number>();
  for (const { type, shape } of tensors) values.set(type.name, (values.get(type.name) ?? 0) + product(shape));
  const architecture = textIn(metadata, 'general.architecture') ?? 'unknown';
  const numberIn = (name: string): number | null => {
    const value = metadata.get(name);
    return typeof value === 'number' ? value : null;
  };
  const tokens = metadata.get('tokenizer.ggml.tokens');
  const parameters = sum(values.values());
  return {
    kind: 'gguf',
    architecture,
    parameters,
    precision: byCount(values),
    contextLength: numberIn(`${architecture}.context_length`),
    vocabularySize: Array.isArray(tokens) ? tokens.length : null,
    licence: textIn(metadata, 'general.license'),
    hasChatTemplate: textIn(metadata, 'tokenizer.chat_template') !== null,
    doubts: [],
    engines: ggufFits({ metadata, tensors }, path),
  };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, value) => total + value, 0);
const product = (numbers: readonly number[]): number => numbers.reduce((total, value) => total * value, 1);
const byCount = (values: ReadonlyMap<string, number>): string[] =>
  [...values].sort((left, right) => right[1] - left[1]).map(([name]) => name);
