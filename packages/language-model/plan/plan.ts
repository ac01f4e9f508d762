/**
 * Estimates a round of self-play on given GPUs: memory, tokens and proofs an hour, Lean's cores, hours and price. Every
 * figure comes with its formula; nothing is measured.
 */

import { type Part, totalGib } from '../memory-part.ts';
import type { ModelShape } from '../trainer.ts';
import type { Gpu } from './gpus.ts';
import { cacheBytesPerToken, parameters, samplingMemory, type TrainingSetup, trainingMemory } from './memory.ts';

const GIB = 2 ** 30;
/** Achieved shares of the data sheet's figures: typical of servers, and for training measured on one H200. */
const BANDWIDTH_SHARE = 0.6;
const SAMPLING_FLOPS_SHARE = 0.3;
const TRAINING_FLOPS_SHARE = 0.24;

export interface PlanInput {
  readonly shape: ModelShape;
  readonly gpu: Gpu;
  readonly gpus: number;
  readonly training: Omit<TrainingSetup, 'gpus'>;
  readonly sampling: {
    readonly tensorParallelism: number;
    /** Share of a GPU's memory that the server uses. */
    readonly memoryShare: number;
    /** Concurrent requests to all servers together. */
    readonly requestsInFlight: number;
    /** Prompt and answer together, tokens. */
    readonly contextLength: number;
    /** Mean length of an answer. */
    readonly meanTokens: number;
    readonly promptTokens: number;
    /** Minimum duration of a server's step. */
    readonly stepSecondsMin: number;
  };
  readonly round: {
    readonly statements: number;
    readonly conjectures: number;
    readonly samplesPerStatement: number;
    /** Maximum answers for each sample, revisions included. */
    readonly answersPerSample: number;
    readonly trainedTokens: number;
  };
  readonly lean: { readonly secondsPerCheck: number };
  /** Price of one GPU for an hour; null if unknown. */
  readonly pricePerHour: number | null;
}

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly formula: string;
}

export interface Plan {
  readonly parameters: number;
  readonly training: readonly Part[];
  readonly sampling: readonly Part[];
  readonly figures: readonly Figure[];
  /** Reasons why it cannot run as requested; empty if it can. */
  readonly problems: readonly string[];
}

export function makePlan(input: PlanInput): Plan {
  const { shape, gpu, gpus, sampling } = input;
  const training = trainingMemory(shape, { ...input.training, gpus });
  const held = samplingMemory(shape, sampling.tensorParallelism);
  const problems = [
    ...lacking('training', totalGib(training), gpu.memoryGib, gpu),
    ...lacking('sampling', totalGib(held) + contextGib(input), gpu.memoryGib * sampling.memoryShare, gpu),
    ...(gpus % sampling.tensorParallelism === 0
      ? []
      : [`${gpus} GPUs cannot be cut into servers of ${sampling.tensorParallelism}`]),
  ];
  return {
    parameters: parameters(shape).all,
    training,
    sampling: held,
    figures: problems.length > 0 ? [] : figures(input),
    problems,
  };
}

/** Returns the cache of the longest allowed request. A server without room for it refuses to start. */
function contextGib({ shape, sampling }: PlanInput): number {
  return (sampling.contextLength * cacheBytesPerToken(shape)) / sampling.tensorParallelism / GIB;
}

function lacking(what: string, needed: number, there: number, gpu: Gpu): string[] {
  if (needed <= there) return [];
  return [`${what} needs ${needed.toFixed(1)} GiB on each GPU, ${gpu.name} has ${there.toFixed(1)} GiB for it`];
}

function figures(input: PlanInput): Figure[] {
  const { shape, gpu, gpus, sampling, round, lean, pricePerHour } = input;
  const { all } = parameters(shape);
  const servers = gpus / sampling.tensorParallelism;
  const bytes = gpu.gigabytesPerSecond * 1e9 * BANDWIDTH_SHARE * sampling.tensorParallelism;
  const flops = gpu.teraflops * 1e12 * SAMPLING_FLOPS_SHARE * sampling.tensorParallelism;
  const cacheGib = gpu.memoryGib * sampling.memoryShare - totalGib(samplingMemory(shape, sampling.tensorParallelism));
  const cacheTokens = (cacheGib * GIB * sampling.tensorParallelism) / cacheBytesPerToken(shape);
  // On average a request has written half of its answer.
  const heldTokens = sampling.promptTokens + sampling.meanTokens / 2;
  const batch = Math.max(
    1,
    Math.min(Math.floor(sampling.requestsInFlight / servers), Math.floor(cacheTokens / heldTokens)),
  );
  const reading = (2 * all + batch * heldTokens * cacheBytesPerToken(shape)) / bytes;
  const step = Math.max(reading, (2 * all * batch) / flops, sampling.stepSecondsMin);
  const tokensPerSecond = (batch / step) * servers;
  const answers = (round.statements + round.conjectures) * round.samplesPerStatement * round.answersPerSample;
  const tokens = answers * sampling.meanTokens;
  const samplingHours = tokens / tokensPerSecond / 3_600;
  const answersPerSecond = tokensPerSecond / sampling.meanTokens;
  const trainingHours = round.trainedTokens / trainingTokensPerSecond(shape, { ...input.training, gpus }, gpu) / 3_600;
  const hours = samplingHours + trainingHours;
  const figure = (what: string, value: number, unit: string, formula: string): Figure => ({
    what,
    value,
    unit,
    formula,
  });
  return [
    figure(
      'requests at once',
      batch,
      'a server',
      'min(requestsInFlight / servers, room of the cache / (prompt + half an answer))',
    ),
    figure(
      'tokens',
      tokensPerSecond * 3_600,
      'an hour',
      `servers × requests / max((2P + cache read) / (${BANDWIDTH_SHARE} × bandwidth), 2P × requests / (${SAMPLING_FLOPS_SHARE} × FLOPS), ${sampling.stepSecondsMin} s)`,
    ),
    figure('proofs', answersPerSecond * 3_600, 'an hour', 'tokens / mean answer'),
    figure('answers', answers, 'a round', '(statements + conjectures) × samples × answers a sample'),
    figure('sampling', samplingHours, 'hours a round', 'answers × mean answer / tokens an hour'),
    figure(
      'training',
      trainingHours,
      'hours a round',
      `${operationsPerWeight(input.training)}P × trained tokens / (${TRAINING_FLOPS_SHARE} × FLOPS × GPUs)`,
    ),
    figure('round', hours, 'hours', 'sampling + training; Lean works meanwhile'),
    figure(
      'Lean',
      Math.ceil(answersPerSecond * lean.secondsPerCheck),
      'cores to keep up',
      `proofs a second × ${lean.secondsPerCheck} s a check`,
    ),
    ...(pricePerHour === null
      ? []
      : [figure('cost', hours * gpus * pricePerHour, 'a round', `hours × ${gpus} GPUs × ${pricePerHour} an hour`)]),
  ];
}

/**
 * Operations for each weight and trained token, two in each pass: forward, backward to the activations, backward to the
 * weights, and forward again if activations are recomputed.
 */
const operationsPerWeight = ({ kind, recomputes }: Pick<TrainingSetup, 'kind' | 'recomputes'>): number =>
  (kind === 'full' ? 6 : 4) + (recomputes ? 2 : 0);

/** Returns the trained tokens a second on all GPUs together. */
export function trainingTokensPerSecond(
  shape: ModelShape,
  setup: Pick<TrainingSetup, 'gpus' | 'kind' | 'recomputes'>,
  { teraflops }: Pick<Gpu, 'teraflops'>,
): number {
  const flops = teraflops * 1e12 * TRAINING_FLOPS_SHARE * setup.gpus;
  return flops / (operationsPerWeight(setup) * parameters(shape).all);
}

/**
 * Returns changes with which the run would fit, the smallest first. Each is tried alone, then with those before it,
 * then all with a larger GPU or with more GPUs.
 */
export function whatWouldFit(input: PlanInput, gpus: readonly Gpu[]): string[] {
  const fits = (other: PlanInput): boolean => makePlan(other).problems.length === 0;
  const { training, sampling } = input;
  const changes: [string, (from: PlanInput) => PlanInput][] = [
    ...(training.recomputes
      ? []
      : [
          ['recompute activations (engines.trainer.recomputeActivations)', withTraining({ recomputes: true })] as const,
        ]),
    ...(training.isSharded
      ? []
      : [['share weights and moments (engines.trainer.parallelism=fsdp)', withTraining({ isSharded: true })] as const]),
    ...[4_096, 2_048]
      .filter((tokens) => tokens < training.microBatchTokens)
      .map(
        (tokens) => [`engines.trainer.microBatchTokens=${tokens}`, withTraining({ microBatchTokens: tokens })] as const,
      ),
    ...[2, 4, 8]
      .filter((parallel) => parallel > sampling.tensorParallelism && input.gpus % parallel === 0)
      .map((parallel) => [`engines.generator.tensorParallelism=${parallel}`, withSampling(parallel)] as const),
    ...(training.kind === 'lora'
      ? []
      : [['--training lora (engines.trainer.lora)', withTraining({ kind: 'lora' })] as const]),
  ].map(([name, change]) => [name, change]);
  const alone = changes.filter(([, change]) => fits(change(input))).map(([name]) => name);
  if (alone.length > 0) return alone;
  // Of two values for one setting the later counts.
  const taken = new Map<string, string>();
  let together = input;
  for (const [name, change] of changes) {
    taken.set(name.split('=')[0]!, name);
    together = change(together);
    if (fits(together)) return [[...taken.values()].join(', ')];
  }
  const gpu = gpus
    .filter((other) => other.memoryGib > input.gpu.memoryGib && fits({ ...together, gpu: other }))
    .sort((a, b) => a.memoryGib - b.memoryGib)[0];
  const factor = [2, 4, 8].find((times) => fits({ ...together, gpus: input.gpus * times }));
  return [
    ...(gpu === undefined ? [] : [`--gpu ${gpu.name}`]),
    ...(factor === undefined ? [] : [`--gpus ${input.gpus * factor}`]),
  ].map((larger) => [...taken.values(), larger].join(', '));
}

const withTraining =
  (change: Partial<PlanInput['training']>) =>
  (from: PlanInput): PlanInput => ({ ...from, training: { ...from.training, ...change } });

const withSampling =
  (tensorParallelism: number) =>
  (from: PlanInput): PlanInput => ({ ...from, sampling: { ...from.sampling, tensorParallelism } });
