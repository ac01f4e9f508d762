/**
 * Describes a local model (a folder in Hugging Face's form, one of our checkpoints, or a GGUF): its kind, and which
 * engines on this machine can sample and train it, with how much memory. Does not read the weights.
 */
import { StpError } from '@stp/base';
import { llamaCppEngine } from '@stp/config';
import { z } from 'zod';
import type { Architecture } from './checkpoint/architecture.ts';
import { isThere, type ModelFiles, parseJson } from './checkpoint/files.ts';
import { shapeProblem, tokenizerProblem } from './checkpoint/fit.ts';
import { JSON_BYTES_MAX, readFolderTokenizer, readTemplate } from './checkpoint/folder-tokenizer.ts';
import {
  modelFiles,
  pickleIn,
  readArchitecture,
  WEIGHT_BYTES_MAX,
  weightBytes,
  weightFileNames,
  withoutRedundant,
} from './checkpoint/model-folder.ts';
import { readTensorHeaders } from './checkpoint/safetensors.ts';
import { embeddedTrainingMemory, memoryProblem } from './embedded/training/training-memory.ts';
import { type GgufFile, readGguf, textIn } from './gguf/gguf-file.ts';
import { convertible } from './gguf/gguf-folder.ts';
import { totalGib } from './memory-part.ts';
import { ggufMemory } from './plan/gguf.ts';

export interface EngineFit {
  readonly engine: string;
  readonly does: 'samples' | 'trains' | 'converts';
  /** Why the engine cannot, in one line; null if it can. */
  readonly problem: string | null;
  /** Estimated memory, GiB; null if the engine cannot. */
  readonly gib: number | null;
  /** The formula of the estimate, in words. */
  readonly formula: string;
}

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
  readonly engines: readonly EngineFit[];
}

const GIB = 2 ** 30;
/**
 * Copies of the weights: two graphs, for prompts and for decoding, each with the raw weights and the kernels' packed
 * copy.
 */
const EMBEDDED_COPIES = 4;
const EMBEDDED_OVERHEAD_GIB = 0.2;
/** Bytes for each trained weight: the weight, its gradient and Adam's two moments, in float32. */
const TRAINED_BYTES = 16;
/** Length of the training texts that the estimate assumes, tokens. */
const TRAINED_CONTEXT = 1_024;
/** Memory for CUDA's context and the libraries' buffers. */
const GPU_OVERHEAD_GIB = 3;

const configSchema = z.looseObject({
  architectures: z.array(z.string().max(200)).min(1).optional(),
  model_type: z.string().max(200),
  max_position_embeddings: z.int().positive().optional(),
  vocab_size: z.int().positive().optional(),
  license: z.string().max(200).optional(),
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
  const { names } = await weightFileNames(files);
  const isThereAny = (await Promise.all(names.map((name) => isThere(files.path(name))))).some(Boolean);
  const values = new Map<string, number>();
  const shapes = new Map<string, readonly number[]>();
  for (const file of isThereAny ? names : [])
    for (const { name, dtype, shape } of await readTensorHeaders(files.path(file))) {
      values.set(dtype, (values.get(dtype) ?? 0) + product(shape));
      shapes.set(name, shape);
    }
  const parameters = sum(values.values());
  const missing = isThereAny ? null : ((await pickleIn(directory)) ?? 'no weights as safetensors');
  const found = missing ?? (await embeddedArchitecture(files, shapes));
  const isCheckpoint = 'manifest' in files;
  return {
    kind: isCheckpoint ? 'checkpoint' : 'folder',
    architecture: config.architectures?.[0] ?? config.model_type,
    parameters,
    precision: byCount(values),
    contextLength: config.max_position_embeddings ?? null,
    vocabularySize: config.vocab_size ?? null,
    licence: config.license ?? null,
    hasChatTemplate: (await readTemplate(files)) !== null,
    engines: [
      embeddedFit(parameters, typeof found === 'string' ? found : null),
      ...gpuFits(parameters, missing),
      embeddedTrainingFit(found),
      {
        engine: 'pytorch',
        does: 'trains',
        problem: missing,
        gib: missing !== null ? null : (TRAINED_BYTES * parameters) / GIB,
        formula: '16 bytes a weight, without activations; bin/stp plan says more, also of adapters',
      },
    ],
  };
}

/** Returns the architecture, or a line saying why the embedded engine cannot run the model. */
async function embeddedArchitecture(
  files: ModelFiles,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<Architecture | string> {
  try {
    const found = await readArchitecture(files);
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

function embeddedFit(parameters: number, problem: string | null): EngineFit {
  const gib = (EMBEDDED_COPIES * 4 * parameters) / GIB + EMBEDDED_OVERHEAD_GIB;
  return {
    engine: 'embedded',
    does: 'samples',
    problem,
    gib: problem === null ? gib : null,
    formula: 'a process for each thread: 4 bytes a weight, in two graphs, twice each; caches come on top',
  };
}

/** Estimates training of all weights, on rows of usual length. */
function embeddedTrainingFit(found: Architecture | string): EngineFit {
  const fit = { engine: 'embedded', does: 'trains' } as const;
  if (typeof found === 'string') return { ...fit, problem: found, gib: null, formula: '' };
  const contextLength = Math.min(found.shape.contextLength, TRAINED_CONTEXT);
  const parts = embeddedTrainingMemory({ ...found.shape, contextLength }, found.constants);
  const problem = memoryProblem(parts);
  const formula = `56 bytes a weight, and activations of ${contextLength} tokens; bin/stp plan says more`;
  return { ...fit, problem, gib: problem === null ? totalGib(parts) : null, formula };
}

function gpuFits(parameters: number, problem: string | null): EngineFit[] {
  const formula = '2 bytes a weight and 3 GiB; caches come on top';
  const gib = problem === null ? (2 * parameters) / GIB + GPU_OVERHEAD_GIB : null;
  return ['vllm', 'transformers serve'].map((engine) => ({ engine, does: 'samples', problem, gib, formula }));
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
  const problem = convertible({ metadata, tensors }, path);
  return {
    kind: 'gguf',
    architecture,
    parameters,
    precision: byCount(values),
    contextLength: numberIn(`${architecture}.context_length`),
    vocabularySize: Array.isArray(tokens) ? tokens.length : null,
    licence: textIn(metadata, 'general.license'),
    hasChatTemplate: textIn(metadata, 'tokenizer.chat_template') !== null,
    engines: [
      llamaCppFit({ metadata, tensors }),
      { engine: 'embedded', does: 'converts', problem, gib: null, formula: 'to a Hugging Face folder' },
    ],
  };
}

/** llama.cpp is assumed to know the architecture; it reports an unknown one when it opens the file. */
function llamaCppFit(gguf: GgufFile): EngineFit {
  const { sequences } = llamaCppEngine();
  const plan = ggufMemory(gguf, { contextLength: null, sequences });
  const fit = { engine: 'llama-cpp', does: 'samples' } as const;
  if (plan === null) return { ...fit, problem: 'the header lacks the sizes of the model', gib: null, formula: '' };
  const formula = `${sequences} samples at once, ${plan.contextLength} tokens each; bin/stp plan --model says more`;
  return { ...fit, problem: null, gib: totalGib(plan.parts), formula };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, value) => total + value, 0);
const product = (numbers: readonly number[]): number => numbers.reduce((total, value) => total * value, 1);
const byCount = (values: ReadonlyMap<string, number>): string[] =>
  [...values].sort((left, right) => right[1] - left[1]).map(([name]) => name);
