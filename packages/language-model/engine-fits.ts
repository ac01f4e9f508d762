/** Which engines can run a model, and with how much memory: estimates from its sizes. Whether they are installed is not asked. */
import { StpError } from '@stp/base';
import { type EngineName, llamaCppEngine } from '@stp/config';
import type { Architecture } from './checkpoint/architecture.ts';
import { headSizeOf } from './checkpoint/llama-tensors.ts';
import { embeddedTrainingMemory, memoryProblem } from './embedded/training/training-memory.ts';
import type { GgufFile } from './gguf/gguf-file.ts';
import { convertible } from './gguf/gguf-folder.ts';
import { ggufArchitecture } from './gguf/model-gguf.ts';
import { totalGib } from './memory-part.ts';
import { type GgufPlan, ggufMemory, llamaCppMemory } from './plan/gguf.ts';

export interface EngineFit {
  readonly engine: EngineName;
  readonly does: 'samples' | 'trains' | 'converts';
  /** Why the engine cannot, in one line; null if it can. */
  readonly problem: string | null;
  /** Estimated memory, GiB; null if the engine cannot. */
  readonly gib: number | null;
  /** The formula of the estimate, in words. */
  readonly formula: string;
}

const GIB = 2 ** 30;
/**
 * Copies of the weights: two graphs, for prompts and for decoding, each with the raw weights and the kernels' packed
 * copy.
 */
const EMBEDDED_COPIES = 4;
const SINGLE_BYTES = 4;
const HALF_BYTES = 2;
const EMBEDDED_OVERHEAD_GIB = 0.2;
/** Bytes for each trained weight: the weight, its gradient and Adam's two moments, in float32. */
const TRAINED_BYTES = 16;
/** Length of the training texts that the estimate assumes, tokens. */
const TRAINED_CONTEXT = 1_024;
/** Memory for CUDA's context and the libraries' buffers. */
const GPU_OVERHEAD_GIB = 3;

/**
 * Returns the engines of a model folder.
 * @param missing why no engine can run it; null if it has weights
 * @param found what the embedded engine would run, or why it cannot
 */
export function folderFits(parameters: number, missing: string | null, found: Architecture | string): EngineFit[] {
  return [
    embeddedFit(parameters, typeof found === 'string' ? found : null),
    convertedFit(parameters, found),
    ...gpuFits(parameters, missing),
    embeddedTrainingFit(found),
    {
      engine: 'pytorch',
      does: 'trains',
      problem: missing,
      gib: missing !== null ? null : (TRAINED_BYTES * parameters) / GIB,
      formula: `${TRAINED_BYTES} bytes a weight; activations come on top`,
    },
  ];
}

export function ggufFits(gguf: GgufFile, path: string): EngineFit[] {
  const problem = convertible(gguf, path);
  return [
    llamaCppFit(gguf),
    { engine: 'embedded', does: 'converts', problem, gib: null, formula: 'to a Hugging Face folder' },
  ];
}

function embeddedFit(parameters: number, problem: string | null): EngineFit {
  const bytes = EMBEDDED_COPIES * SINGLE_BYTES;
  const gib = (bytes * parameters) / GIB + EMBEDDED_OVERHEAD_GIB;
  return {
    engine: 'embedded',
    does: 'samples',
    problem,
    gib: problem === null ? gib : null,
    formula: `each thread: ${bytes} bytes a weight; caches come on top`,
  };
}

/** Estimates training of all weights, on rows of usual length. */
function embeddedTrainingFit(found: Architecture | string): EngineFit {
  const fit = { engine: 'embedded', does: 'trains' } as const;
  if (typeof found === 'string') return { ...fit, problem: found, gib: null, formula: '' };
  const contextLength = Math.min(found.shape.contextLength, TRAINED_CONTEXT);
  const parts = embeddedTrainingMemory({ ...found.shape, contextLength }, found.constants);
  const problem = memoryProblem(parts);
  const formula = `56 bytes a weight, activations of ${contextLength} tokens`;
  return { ...fit, problem, gib: problem === null ? totalGib(parts) : null, formula };
}

function gpuFits(parameters: number, problem: string | null): EngineFit[] {
  const formula = `${HALF_BYTES} bytes a weight and ${GPU_OVERHEAD_GIB} GiB; caches come on top`;
  const gib = problem === null ? (HALF_BYTES * parameters) / GIB + GPU_OVERHEAD_GIB : null;
  return (['transformers', 'vllm'] as const).map((engine) => ({ engine, does: 'samples', problem, gib, formula }));
}

/** llama.cpp is assumed to know the architecture; it reports an unknown one when it opens the file. */
function llamaCppFit(gguf: GgufFile): EngineFit {
  const { sequences } = llamaCppEngine();
  const plan = ggufMemory(gguf, { contextLength: null, sequences });
  if (plan === null) return unfit('the header lacks the sizes of the model');
  return { ...LLAMA_CPP, problem: null, gib: totalGib(plan.parts), formula: samplesOf(sequences, plan) };
}

/** The engine converts the folder to a GGUF in half precision when it opens it. */
function convertedFit(parameters: number, found: Architecture | string): EngineFit {
  if (typeof found === 'string') return unfit(found);
  const problem = unwritable(found);
  if (problem !== null) return unfit(problem);
  const { shape, constants } = found;
  const { sequences } = llamaCppEngine();
  const sizes = {
    bytes: HALF_BYTES * parameters,
    cachedNumbers: shape.layers * shape.keyValueHeads * 2 * headSizeOf(shape, constants),
    hiddenSize: shape.hiddenSize,
    feedForwardSize: shape.feedForwardSize,
    vocabularySize: shape.vocabularySize,
    trainedLength: shape.contextLength,
  };
  const plan = llamaCppMemory(sizes, { contextLength: null, sequences });
  const formula = `half precision, ${samplesOf(sequences, plan)}`;
  return { ...LLAMA_CPP, problem: null, gib: totalGib(plan.parts), formula };
}

const LLAMA_CPP = { engine: 'llama-cpp', does: 'samples' } as const;
const unfit = (problem: string): EngineFit => ({ ...LLAMA_CPP, problem, gib: null, formula: '' });
const samplesOf = (sequences: number, { contextLength }: GgufPlan): string =>
  `${sequences} samples of ${contextLength} tokens at once`;

function unwritable({ constants }: Architecture): string | null {
  try {
    ggufArchitecture(constants, 'the folder');
    return null;
  } catch (error) {
    if (error instanceof StpError) return error.message;
    throw error;
  }
}
