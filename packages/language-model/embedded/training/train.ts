/**
 * Trains a decoder in this process, from examples to a checkpoint folder. It blocks its thread for some steps at a
 * time, so it belongs in a separate process. The same request with the same number of threads gives the same weights,
 * bit for bit, even after interruptions and resumptions from its `stateDirectory`.
 */

import { describeIssues, StpError } from '@stp/base';
import { LIKELIHOOD } from '@stp/config';
import { z } from 'zod';
import { writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import { modelFiles, readArchitecture } from '../../checkpoint/model-folder.ts';
import type { TrainOptions, TrainRequest, TrainResult } from '../../trainer.ts';
import { objectiveOf } from '../objectives/objectives.ts';
import { readRows } from './example-file.ts';
import { HeldOut } from './held-out.ts';
import { initialState } from './initial-state.ts';
import { KeptLogprobs } from './kept-logprobs.ts';
import { tensorsOf } from './parameter-layout.ts';
import { requestHash } from './request-hash.ts';
import { runSteps } from './run-steps.ts';
import { StateFile } from './state-file.ts';
import { TrainingEngine } from './training-engine.ts';
import { embeddedTrainingMemory, memoryProblem } from './training-memory.ts';
import { TrainingSet } from './training-set.ts';
import { freshState, TRAINING_START } from './training-state.ts';

/** Default number of ONNX Runtime threads; leaves room for Lean on a laptop. */
const THREADS_DEFAULT = 2;
/** Default interval of saves, and so the most work that a kill can lose. A save writes a few megabytes. */
const KEEP_STATE_MS_DEFAULT = 10_000;

const requestSchema = z.object({
  steps: z.int().min(1).max(1e9),
  tokensPerStep: z.int().min(1).max(1e7),
  learningRate: z.number().positive(),
  warmupSteps: z.int().nonnegative(),
  weightDecay: z.number().nonnegative(),
  gradientClipNorm: z.number().nonnegative(),
  seed: z.int().nonnegative(),
  heldOutEverySteps: z.int().min(1),
});

export interface TrainInProcessOptions extends TrainOptions {
  readonly threads?: number;
  /** Minimum time between two saves of the state, if the request names a folder for it. */
  readonly keepStateMs?: number;
  /** Optimizer steps in one call of the engine; default: as many as take about two seconds. */
  readonly stepsPerCall?: number;
}

/**
 * Throws STP1002 (request), STP1302 (initial checkpoint), STP1501 (a line of the examples), STP1301 (the engine, or a
 * loss that is no longer finite), STP1401 (checkpoint not writable), or the abort reason of `signal`.
 */
export async function trainInProcess(request: TrainRequest, options: TrainInProcessOptions = {}): Promise<TrainResult> {
  const parsed = requestSchema.safeParse(request);
  if (!parsed.success)
    throw new StpError('STP1002', `training request: ${describeIssues(parsed.error)}`, 'See `TrainRequest`.');
  const { objective: asked = LIKELIHOOD, referenceDirectory = null } = request;
  const objective = objectiveOf(asked);
  if (request.initDirectory === null && asked.kind !== 'likelihood')
    throw new StpError('STP1002', `${asked.kind} has no model to start from`, 'Give initDirectory.');
  await refuseWithoutMemory(request);
  const { architecture, tokenizer, proofWords, parameters, parent, kept } = await initialState(request);
  const { contextLength } = architecture.shape;
  const set = new TrainingSet(readRows(request.examplesPath, objective), objective, tokenizer, contextLength);
  if (set.count === 0)
    throw new StpError(
      'STP1002',
      `${request.examplesPath} has no example to train on (${set.tooLong} are longer than the context)`,
      'Give examples of positive weight that fit contextLength, or raise contextLength.',
    );
  const heldOut = request.heldOutPath === null ? null : new HeldOut(request.heldOutPath, tokenizer, contextLength);
  const threads = options.threads ?? THREADS_DEFAULT;
  const state = freshState(parameters, objective.variableCount(set.allNumbers));
  const { stateDirectory } = request;
  // Unless another reference is named, the first weights are the reference.
  const reference =
    objective.needs.reference && referenceDirectory !== null
      ? await initialState({ ...request, initDirectory: referenceDirectory })
      : null;
  const hash = await requestHash(request, architecture, parent, reference?.parent ?? null, threads);
  const stateFile = stateDirectory === null ? null : await StateFile.open(stateDirectory, hash);
  const engine = new TrainingEngine({ ...request, ...architecture, threads });
  try {
    const keptOf = (name: string, weights: Float32Array) =>
      KeptLogprobs.of(engine, weights, set, { contextLength, directory: stateDirectory, name, request: hash });
    const { needs } = objective;
    const task = {
      objective,
      set,
      contextLength,
      first: needs.first ? await keptOf('first', parameters) : null,
      reference: needs.reference ? await keptOf('reference', reference?.parameters ?? parameters) : null,
    };
    const progress = (await stateFile?.load(state)) ?? TRAINING_START;
    const { keepStateMs = KEEP_STATE_MS_DEFAULT, stepsPerCall = null } = options;
    const run = { engine, state, progress, task, heldOut, stateFile, keepStateMs, stepsPerCall };
    const end = await runSteps(run, request, options);
    const finalLoss = end.finalLossSum / end.finalWeight;
    const heldOutLoss = (await heldOut?.loss(engine, parameters)) ?? null;
    const tensors = tensorsOf(engine.layout, parameters);
    const { seed, steps, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = request;
    const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
    const training = { seed, steps, tokens: end.tokens, finalLoss, ...recipe, parent };
    await writeCheckpoint(request.outputDirectory, { ...architecture, tensors, tokenizer, proofWords, training, kept });
    const { tokens, seconds } = end;
    const heldOutTooLong = heldOut?.tooLong ?? 0;
    return { steps, finalLoss, heldOutLoss, tokens, seconds, tooLong: set.tooLong, heldOutTooLong };
  } finally {
    await engine.close();
  }
}

/** Checks memory before the weights are read: a process that runs out of memory is killed without a message. */
async function refuseWithoutMemory({ shape, initDirectory }: TrainRequest): Promise<void> {
  const found = initDirectory === null ? null : await readArchitecture(await modelFiles(initDirectory));
  const problem = memoryProblem(embeddedTrainingMemory(shape, found?.constants));
  if (problem === null) return;
  const advice =
    'Take a smaller model or contextLength, or train an adapter with PyTorch (engines.trainer.kind=pytorch).';
  throw new StpError('STP1002', `${initDirectory ?? 'the model'}: ${problem}`, advice);
}
