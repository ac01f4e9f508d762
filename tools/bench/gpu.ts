/**
 * Measures training on this machine's GPU: tokens a second and memory of the PyTorch trainer beside what `bin/stp plan`
 * estimates and beside transformers' own `Trainer`, with random weights in the shapes of open models. Needs NVIDIA's
 * driver and a Python with PyTorch (`STP_TEST_PYTHON`, or `npm run test:python`); about six minutes.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type PytorchEngine, resolveConfig } from '@stp/config';
import type { Example } from '@stp/config/records';
import { trainerEngineSchema } from '@stp/config/testing';
import { pytorchTrainer } from '@stp/language-model';
import { GPUS, type Gpu, totalGib } from '@stp/language-model/plan';
import {
  type ModelShape,
  makeFreshCheckpoint,
  type TrainRequest,
  trainingMemory,
  trainingTokensPerSecond,
} from '@stp/language-model/testing';
import { interpreter, runPython, skipsPython } from '../../test/python/python.ts';
import { median, row } from './measure.ts';

const CONTEXT = 2048;
const STEPS = 8;
/** Steps for choosing and compiling kernels. */
const WARMUP_STEPS = 3;
const TOKENS_PER_STEP = 65_536;
const MICRO_BATCH_TOKENS = 8192;
/** Theorems in one example, for a length typical of language models: some four hundred tokens. */
const THEOREMS_AN_EXAMPLE = 8;

/** As Qwen3-1.7B; `head_dim` follows from the sizes. */
const SMALL: ModelShape = {
  hiddenSize: 2048,
  layers: 28,
  heads: 16,
  keyValueHeads: 8,
  feedForwardSize: 6144,
  vocabularySize: 151_936,
  contextLength: CONTEXT,
  tiedEmbeddings: true,
};

/** Existing model folders. */
const made = new Set<string>();

interface Case {
  readonly name: string;
  readonly shape: ModelShape;
  readonly tokensPerStep: number;
  readonly engine: Partial<PytorchEngine>;
}

const LORA: PytorchEngine['lora'] = { rank: 32, alpha: 64, targets: [], quantised: false, output: 'separate' };

const CASES: readonly Case[] = [
  { name: 'all weights', shape: SMALL, tokensPerStep: TOKENS_PER_STEP, engine: {} },
  {
    name: 'all weights, recomputed',
    shape: SMALL,
    tokensPerStep: TOKENS_PER_STEP,
    engine: { recomputeActivations: true },
  },
  {
    name: 'adapter of 8B, recomputed',
    shape: { ...resolveConfig({ preset: 'goedel-8b' }).model, contextLength: CONTEXT },
    tokensPerStep: TOKENS_PER_STEP / 2,
    engine: { recomputeActivations: true, lora: LORA },
  },
  {
    name: 'all weights, flex_attention',
    shape: SMALL,
    tokensPerStep: TOKENS_PER_STEP,
    engine: { attention: 'flex_attention' },
  },
];

export async function benchGpu(directory: string, examples: readonly Example[]): Promise<void> {
  const named = spawnSync('nvidia-smi', ['--query-gpu=name,memory.total', '--format=csv,noheader'], {
    encoding: 'utf8',
  });
  if (named.status !== 0) return console.log('skipped: the PyTorch trainer on a GPU (there is no nvidia-smi)');
  if (skipsPython('the PyTorch trainer on a GPU')) return;
  console.log(`${named.stdout.trim()}, ${process.env.STP_TEST_PYTHON ?? 'the pinned Python'}`);
  const gpu = GPUS.find(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(named.stdout)) ?? null;
  const longer = await longerExamples(directory, examples);
  for (const one of CASES) await benchCase(one, { directory, examplesPath: longer, gpu });
}

/** Writes examples of several theorems each. */
async function longerExamples(directory: string, examples: readonly Example[]): Promise<string> {
  const path = join(directory, 'longer.jsonl');
  const lines: string[] = [];
  for (let first = 0; first + THEOREMS_AN_EXAMPLE <= examples.length; first += 1) {
    const parts = examples.slice(first, first + THEOREMS_AN_EXAMPLE);
    const prompt = parts.map((part) => part.prompt).join('\n');
    const target = parts.map((part) => part.target).join('\n');
    lines.push(`${JSON.stringify({ prompt, target, weight: 1, role: 'prover' })}\n`);
  }
  await writeFile(path, lines.join(''));
  return path;
}

interface Setting {
  readonly directory: string;
  readonly examplesPath: string;
  /** Null if no data sheet is known. */
  readonly gpu: Gpu | null;
}

async function benchCase({ name, shape, tokensPerStep, engine: changes }: Case, setting: Setting): Promise<void> {
  const base = await randomModel(shape, setting);
  const engine: PytorchEngine = {
    ...(trainerEngineSchema.parse({ kind: 'pytorch' }) as PytorchEngine),
    python: interpreter,
    base,
    microBatchTokens: MICRO_BATCH_TOKENS,
    ...changes,
  };
  const outputDirectory = join(setting.directory, 'trained');
  const request = requestOf(setting, { shape, tokensPerStep, outputDirectory });
  const rates: number[] = [];
  try {
    await pytorchTrainer({ engine, threads: availableParallelism() }).train(request, {
      onProgress: ({ step, tokensPerSecond }) => {
        if (step > WARMUP_STEPS) rates.push(tokensPerSecond);
      },
    });
    const setup = {
      gpus: 1,
      kind: engine.lora === null ? ('full' as const) : ('lora' as const),
      rank: engine.lora?.rank ?? 0,
      isQuantised: false,
      isSharded: false,
      recomputes: engine.recomputeActivations,
      microBatchTokens: engine.microBatchTokens,
    };
    row(`${name}: trained`, median(rates), 'tokens/s');
    if (setting.gpu !== null) row(`${name}: planned`, trainingTokensPerSecond(shape, setup, setting.gpu), 'tokens/s');
    row(`${name}: most memory in tensors`, await memoryOf(outputDirectory), 'GiB', 1);
    row(`${name}: planned`, totalGib(trainingMemory(shape, setup)), 'GiB', 1);
    if (engine.lora === null && engine.attention === 'auto') await benchLibrary(name, base, engine, request);
  } catch (error) {
    console.log(`${name}: failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    for (const left of [outputDirectory, logOf(outputDirectory)]) await rm(left, { recursive: true, force: true });
  }
}

/** A trainer appends to an existing log. */
const logOf = (outputDirectory: string): string => `${outputDirectory}.log`;

/**
 * Trains on the same examples with transformers' `Trainer`: padded batches of similar size, the same number in each
 * step.
 */
async function benchLibrary(name: string, base: string, engine: PytorchEngine, request: TrainRequest): Promise<void> {
  const { examplesPath, tokensPerStep } = request;
  const found = await runPython('bench_library_trainer.py', {
    base,
    examplesPath,
    tokensPerStep,
    microBatchTokens: engine.microBatchTokens,
    steps: STEPS,
    warmupSteps: WARMUP_STEPS,
    contextLength: CONTEXT,
    recompute: engine.recomputeActivations,
  });
  const { tokensPerSecond, meanTokens, gib } = found as Record<'tokensPerSecond' | 'meanTokens' | 'gib', number>;
  row(`${name}: transformers’ Trainer`, tokensPerSecond, 'tokens/s');
  row(`${name}: transformers’ Trainer, most memory in tensors`, gib, 'GiB', 1);
  row(`${name}: an example`, meanTokens, 'tokens');
}

/** Makes a folder of random weights in bfloat16, once for each shape, with one of our tokenizers. */
async function randomModel(shape: ModelShape, { directory, examplesPath }: Setting): Promise<string> {
  const folder = join(directory, `model-${shape.hiddenSize}`);
  if (made.has(folder)) return folder;
  // One folder at a time, since a disk may lack space for two.
  for (const other of made) await rm(other, { recursive: true, force: true });
  made.clear();
  const fresh = join(directory, 'fresh');
  await rm(fresh, { recursive: true, force: true });
  const { model } = resolveConfig({ preset: 'embedded' });
  await makeFreshCheckpoint({ examplesPath, shape: model, seed: 1 }, fresh);
  const config = {
    vocab_size: shape.vocabularySize,
    hidden_size: shape.hiddenSize,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.keyValueHeads,
    head_dim: shape.hiddenSize / shape.heads,
    intermediate_size: shape.feedForwardSize,
    max_position_embeddings: shape.contextLength,
    tie_word_embeddings: shape.tiedEmbeddings !== false,
    eos_token_id: 0,
    bos_token_id: null,
    pad_token_id: null,
  };
  await mkdir(folder, { recursive: true });
  await runPython('make_model.py', {
    directory: folder,
    family: 'qwen3',
    config,
    dtype: 'bfloat16',
    seed: 1,
    device: 'cuda',
  });
  await cp(join(fresh, 'tokenizer.json'), join(folder, 'tokenizer.json'));
  made.add(folder);
  return folder;
}

/** Returns the tensors' peak memory on the GPU, GiB, as the trainer reports it at its end. */
async function memoryOf(outputDirectory: string): Promise<number> {
  const log = await readFile(logOf(outputDirectory), 'utf8');
  return Number(/(\d+\.\d) GiB in tensors/.exec(log)?.[1]);
}

function requestOf(
  { examplesPath }: Setting,
  asked: Pick<TrainRequest, 'shape' | 'tokensPerStep' | 'outputDirectory'>,
): TrainRequest {
  return {
    ...asked,
    examplesPath,
    initDirectory: null,
    steps: STEPS,
    learningRate: 1e-4,
    warmupSteps: 0,
    schedule: 'constant',
    weightDecay: 0,
    gradientClipNorm: 1,
    seed: 1,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: STEPS,
  };
}
