/**
 * The `Trainer` port with PyTorch: runs `packages/language-model/trainers/python/train.py` (transformers, peft) on this
 * node with one process per GPU, alone or together with processes of other nodes. On a Llama it trains like the
 * embedded trainer: same steps, examples, initial weights, loss and optimizer. Results are equal up to rounding, not
 * bit for bit.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { LIKELIHOOD, type PytorchEngine } from '@stp/config';
import { removePartialCheckpoints } from '../../checkpoint/checkpoint.ts';
import { trainingSilenceMs } from '../../embedded/process/training-silence.ts';
import { startingPoint } from '../../embedded/starting-point.ts';
import { runTrainerProcesses } from '../../process/trainer-processes.ts';
import type { KeptState, Trainer, TrainOptions, TrainRequest, TrainResult } from '../../trainer.ts';

const SCRIPT = resolve(import.meta.dirname, '../python/train.py');
/** Suffix of the work folder beside the checkpoint, which exists only during a training. */
const WORK_SUFFIX = '.pytorch';
/** File in the work folder that exists while a state is being copied: `copying` of `training_state.py`. */
const COPYING_FILE = 'copying';

export interface PytorchTrainerOptions {
  readonly engine: PytorchEngine;
  /** Finds the folder of `engine.base` on this node, or throws. Without this function `base` is itself a folder. */
  readonly findBase?: (signal: AbortSignal | undefined) => Promise<string | null>;
  /** CPU threads of each process. */
  readonly threads: number;
  readonly runMark?: string | undefined;
  /** File for the trainer's standard error; default: beside the output. */
  readonly logPath?: string;
}

export function pytorchTrainer(options: PytorchTrainerOptions): Trainer {
  return { train: (request, trainOptions = {}) => train(request, trainOptions, options) };
}

/**
 * Trains, and leaves no process behind. Throws the failure that the trainer reports (STP1002, STP1302, STP1501,
 * STP1401, STP1301), or the signal's reason.
 */
async function train(
  request: TrainRequest,
  { signal, onProgress, onKept, share }: TrainOptions,
  { engine, findBase, threads, runMark, logPath }: PytorchTrainerOptions,
): Promise<TrainResult> {
  const workDirectory = `${resolve(request.outputDirectory)}${WORK_SUFFIX}`;
  const silenceLimitMs = await trainingSilenceMs(request);
  await rm(workDirectory, { recursive: true, force: true });
  await mkdir(workDirectory, { recursive: true });
  const found: { result: TrainResult | null } = { result: null };
  try {
    const baseDirectory = findBase === undefined ? engine.base : await findBase(signal);
    const { initDirectory, parent } = await startingPoint(request, baseDirectory, workDirectory, { runMark, signal });
    const asked = pytorchRequest(request, engine, { initDirectory, baseDirectory, parent, workDirectory, threads });
    const path = join(workDirectory, 'request.json');
    await writeFile(path, JSON.stringify(asked));
    await runTrainerProcesses({
      command: [engine.python, SCRIPT, '--request', path],
      processes: engine.processes,
      logPath: logPath ?? `${resolve(request.outputDirectory)}.log`,
      runMark,
      environment: { OMP_NUM_THREADS: `${threads}`, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
      silenceLimitMs,
      share,
      signal,
      onMessage: (message) => {
        if (message.type === 'trained') found.result = message.result;
        else if (message.type === 'kept') void copied(message, workDirectory, onKept);
        else if (message.type === 'progress') {
          const { type: _, ...progress } = message;
          onProgress?.(progress);
        }
      },
    });
    if (found.result === null)
      throw new StpError('STP1301', 'the trainer ended without a result', 'Look into its log.', { retryable: true });
    return found.result;
  } catch (error) {
    await removePartialCheckpoints(request.outputDirectory);
    throw error;
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }
}

/** Folders and threads of a training on its machine. */
interface Whereabouts {
  readonly initDirectory: string;
  readonly baseDirectory: string | null;
  /** Name of the initial model; null if it has none. */
  readonly parent: string | null;
  readonly workDirectory: string;
  readonly threads: number;
}

/** Makes the JSON that `train.py` reads: the request with the engine's settings. */
export function pytorchRequest(
  { shape, objective = LIKELIHOOD, referenceDirectory = null, ...rest }: TrainRequest,
  engine: PytorchEngine,
  whereabouts: Whereabouts,
): object {
  const { device, precision, floatMasters, attention, lora, parallelism, recomputeActivations } = engine;
  const { microBatchTokens, keepStateSeconds } = engine;
  return {
    ...rest,
    objective,
    referenceDirectory,
    device,
    precision,
    floatMasters,
    attention,
    lora,
    parallelism,
    recomputeActivations,
    microBatchTokens,
    keepStateSeconds,
    baseName: engine.base,
    contextLength: shape.contextLength,
    ...whereabouts,
  };
}

/** Copies a state and removes the trainer's `copying` file, so that it announces the next (`training_state.py`). */
async function copied(
  { step, files }: KeptState,
  workDirectory: string,
  onKept: TrainOptions['onKept'],
): Promise<void> {
  await onKept?.({ step, files }).catch(() => undefined);
  await rm(join(workDirectory, COPYING_FILE), { force: true });
}
