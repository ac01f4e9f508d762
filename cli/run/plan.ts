/** `stp plan`: estimates the resources of a preset on given GPUs. Starts nothing and downloads nothing. */

import { totalmem } from 'node:os';
import { printableLine, StpError } from '@stp/base';
import { formatOf, llamaCppEngine, proverIn, type RunConfig } from '@stp/config';
import {
  embeddedTrainingMemory,
  type Figure,
  GPUS,
  type Gpu,
  machineGib,
  makePlan,
  memoryProblem,
  type Part,
  type Plan,
  type PlanInput,
  planGguf,
  totalGib,
  whatWouldFit,
} from '@stp/language-model/plan';
import { type RunOptions, startInput } from '../shared/options.ts';
import { table } from '../shared/table.ts';

export interface PlanOptions extends RunOptions {
  readonly gpu: string;
  readonly gpus: number;
  /** Default: the configuration's kind of training. */
  readonly training?: 'full' | 'lora';
  /** Default: the configuration's, else 32. */
  readonly rank?: number;
  readonly statements: number;
  /** Mean length of an answer, tokens; default: the format's, else a quarter of the maximum. */
  readonly answerTokens?: number;
  readonly checkSeconds: number;
  /** Price of one GPU for an hour. */
  readonly price?: number;
  /** A GGUF: plan its sampling with llama.cpp. */
  readonly model?: string;
  readonly contextLength?: number;
  readonly sequences?: number;
  readonly json?: boolean;
}

type PlanFileOptions = Pick<PlanOptions, 'contextLength' | 'sequences' | 'json'>;

/** Tokens of a statement with its header and the prompt's words. */
const PROMPT_TOKENS = 400;
/** Default rank of an adapter, equal to the trainer's. */
const RANK_DEFAULT = 32;
/**
 * Assumed share of a round's statements that train the model, and proofs of each; they give the length of a training.
 */
const TAUGHT_SHARE = 0.2;
const PROOFS_PER_STATEMENT = 4;
/** Minimum seconds of a decoding step; 0 for vLLM because its value is unknown. */
const STEP_SECONDS_MIN = { vllm: 0, transformers: 0.1 } as const;

export async function plan(options: PlanOptions): Promise<void> {
  if (options.model !== undefined) return planFile(options.model, options);
  const { config } = startInput(options);
  if (config.engines.trainer.kind === 'embedded') return planEmbedded(config, options);
  const input = planInput(config, options);
  const made = makePlan(input);
  if (options.json) console.log(JSON.stringify({ ...made, assumed: assumptions(config, options, input) }, null, 2));
  else console.log(planText(config, options, input, made));
  if (made.problems.length === 0) return;
  const would = whatWouldFit(input, GPUS);
  throw new StpError(
    'STP1002',
    `${config.preset} does not fit: ${made.problems.join('; ')}`,
    would.length === 0 ? 'Take more and larger GPUs, or a smaller model.' : `What would fit: ${would.join(' · or ')}.`,
  );
}

/** The embedded engine trains on the CPU, so this machine's memory counts. */
function planEmbedded({ preset, model }: RunConfig, { json }: Pick<PlanOptions, 'json'>): void {
  const parts = embeddedTrainingMemory(model);
  const [gib, memoryGib] = [totalGib(parts), machineGib()];
  if (json) console.log(JSON.stringify({ parts, gib, memoryGib }, null, 2));
  else
    console.log(
      `${preset}: training of all weights by the embedded engine, on rows of ${model.contextLength} tokens at most\n` +
        `Estimated peak memory, GiB\n${memoryTable(parts, `of ${memoryGib.toFixed(1)} on this machine`, 2)}`,
    );
  const problem = memoryProblem(parts);
  if (problem !== null)
    throw new StpError(
      'STP1002',
      `${preset} does not fit: ${problem}`,
      'Take a smaller model or contextLength, or train with PyTorch.',
    );
}

async function planFile(path: string, { contextLength, sequences, json }: PlanFileOptions): Promise<void> {
  const sampling = { contextLength: contextLength ?? null, sequences: sequences ?? llamaCppEngine().sequences };
  const { contextLength: context, parts } = await planGguf(path, sampling);
  const gib = totalGib(parts);
  const memoryGib = totalmem() / 2 ** 30;
  if (json) console.log(JSON.stringify({ ...sampling, contextLength: context, parts, gib, memoryGib }, null, 2));
  else
    console.log(
      `${printableLine(path)}: ${sampling.sequences} samples at once by llama.cpp, each of ${context} tokens at most\n` +
        `Estimated peak memory, GiB; what a GPU holds of it counts there\n${memoryTable(parts, `of ${memoryGib.toFixed(1)} on this machine`, 2)}`,
    );
}

export function planInput(config: RunConfig, options: PlanOptions): PlanInput {
  const { engines, sampling, prover, conjectures } = config;
  const trainer = engines.trainer.kind === 'pytorch' ? engines.trainer : null;
  const { kind } = engines.generator;
  const generator = kind === 'vllm' || kind === 'transformers' ? engines.generator : null;
  if (trainer === null || generator === null)
    throw new StpError(
      'STP1002',
      `preset ${config.preset} trains by ${engines.trainer.kind} and samples by ${engines.generator.kind}`,
      'A plan is for PyTorch, and vLLM or transformers: goedel-8b, deepseek-7b, kimina-1.5b, stp-7b, smollm2.',
    );
  const contextLength = generator.contextLength ?? config.model.contextLength;
  const meanTokens = meanAnswer(config, options).tokens;
  return {
    shape: config.model,
    gpu: gpuNamed(options.gpu),
    gpus: options.gpus,
    training: {
      kind: options.training ?? (trainer.lora === null ? 'full' : 'lora'),
      rank: options.rank ?? trainer.lora?.rank ?? RANK_DEFAULT,
      isQuantised: trainer.lora?.quantised ?? false,
      isSharded: trainer.parallelism === 'fsdp',
      recomputes: trainer.recomputeActivations,
      microBatchTokens: trainer.microBatchTokens,
    },
    sampling: {
      tensorParallelism: generator.kind === 'vllm' ? generator.tensorParallelism : 1,
      memoryShare: generator.memoryShare,
      requestsInFlight: generator.requestsInFlight,
      contextLength,
      meanTokens,
      promptTokens: PROMPT_TOKENS,
      stepSecondsMin: STEP_SECONDS_MIN[generator.kind],
    },
    round: {
      statements: options.statements,
      conjectures: conjecturesOf(conjectures, options.statements),
      samplesPerStatement: sampling.samplesPerStatement,
      answersPerSample: Math.max(
        1,
        proverIn(prover)
          .turns(prover)
          .filter(({ queue }) => queue === 'host').length,
      ),
      trainedTokens:
        options.statements * TAUGHT_SHARE * PROOFS_PER_STATEMENT * (PROMPT_TOKENS + Math.min(meanTokens, 1_000)),
    },
    lean: { secondsPerCheck: options.checkSeconds },
    pricePerHour: options.price ?? null,
  };
}

function gpuNamed(name: string): Gpu {
  const found = GPUS.find((gpu) => gpu.name === name);
  if (found !== undefined) return found;
  throw new StpError('STP1002', `no GPU ${name} is known`, `Known: ${GPUS.map((gpu) => gpu.name).join(', ')}.`);
}

const conjecturesOf = (conjectures: RunConfig['conjectures'], statements: number): number => {
  if (conjectures.source === 'none') return 0;
  return typeof conjectures.perRoundMax === 'number' ? conjectures.perRoundMax : statements;
};

function meanAnswer({ prover, sampling }: RunConfig, { answerTokens }: PlanOptions): { tokens: number; from: string } {
  if (answerTokens !== undefined) return { tokens: answerTokens, from: '--answer-tokens' };
  const { name, sampling: known } = formatOf(prover);
  if (known.meanTokens !== null)
    return { tokens: Math.min(known.meanTokens, sampling.maxTokens), from: `data/formats/${name}.json` };
  return { tokens: sampling.maxTokens / 4, from: 'no source: a quarter of sampling.maxTokens' };
}

function assumptions(config: RunConfig, options: PlanOptions, input: PlanInput): string[] {
  const { tokens, from } = meanAnswer(config, options);
  return [
    `mean answer ${Math.round(tokens)} tokens (${from}), prompt ${PROMPT_TOKENS}`,
    `${input.round.statements} statements, ${input.round.conjectures} conjectures, every answer of every sample (an upper bound where samples are revised)`,
    `training on ${TAUGHT_SHARE * 100} % of the statements, ${PROOFS_PER_STATEMENT} proofs each`,
    `${options.checkSeconds} s of one core for a check by Lean`,
  ];
}

function planText(
  config: RunConfig,
  options: PlanOptions,
  input: PlanInput,
  { parameters, training, sampling, figures }: Plan,
): string {
  const { gpu, gpus } = input;
  const head =
    `${config.preset}: ${(parameters / 1e9).toFixed(2)} billion weights (P) on ${gpus} × ${gpu.name} ` +
    `(${gpu.memoryGib} GiB, ${gpu.teraflops} TFLOPS, ${gpu.gigabytesPerSecond} GB/s), ${input.training.kind} training`;
  const memory = (title: string, parts: readonly Part[]): string =>
    `${title}, GiB on each GPU\n${memoryTable(parts, `of ${gpu.memoryGib}`, 1)}`;
  const rows = figures.map(({ what, value, unit, formula }: Figure) => ['  ', what, shown(value), unit, formula]);
  return [
    `${head}\nAll figures are estimates by the formulas beside them.`,
    memory('Memory, training', training),
    memory('Memory, sampling (the rest holds the cache)', sampling),
    ...(rows.length === 0 ? [] : [`A round\n${table(rows)}`]),
    `Assumed\n${assumptions(config, options, input)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  ].join('\n\n');
}

function memoryTable(parts: readonly Part[], available: string, digits: number): string {
  return table([
    ...parts.map(({ what, gib, formula }) => ['  ', what, gib.toFixed(digits).padStart(7), formula]),
    ['  ', 'together', totalGib(parts).toFixed(digits).padStart(7), available],
  ]);
}

function shown(value: number): string {
  const text = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
  return text.padStart(12);
}
