/**
 * The embedded model behind the `Generator` and `Trainer` ports: an ONNX transformer on this machine's CPU, in separate
 * processes. Results depend only on checkpoint, request and seed, and every failure is an `StpError`.
 */
import { ChatGenerator } from '../chat/chat-generator.ts';
import { ChatTemplate } from '../chat/chat-template.ts';
import { readTemplate } from '../checkpoint/folder-tokenizer.ts';
import { modelFiles } from '../checkpoint/model-folder.ts';
import type { GeneratorFactory } from '../generator.ts';
import { oneAtATime } from '../process/one-at-a-time.ts';
import { refuseShare, type Trainer, type TrainOptions, type TrainRequest, type TrainResult } from '../trainer.ts';
import { inOwnProcess } from './process/one-request.ts';
import { SamplingPool } from './process/sampling-pool.ts';
import type { TrainingMessage, TrainingRequest } from './process/training-messages.ts';
import { trainingSilenceMs } from './process/training-silence.ts';

/** Rows decoded together. Beyond 64 a step's cost grows about as fast as its rows. */
const BATCH_SIZE_DEFAULT = 64;

export interface EmbeddedOptions {
  /** Cores to use: sampling processes, or threads of the one training process. */
  readonly threads: number;
  /** The run that the processes belong to, for clean-up. */
  readonly runMark?: string;
}

export interface EmbeddedGeneratorOptions extends EmbeddedOptions {
  readonly batchSize?: number;
  /** Keep the processes after the abort of the only call, for callers that call again soon. */
  readonly staysWarm?: boolean;
}

export function embeddedGenerator(options: EmbeddedGeneratorOptions): GeneratorFactory {
  const { threads, runMark, staysWarm, batchSize = BATCH_SIZE_DEFAULT } = options;
  return async (checkpointDirectory) => {
    const pool = await SamplingPool.open({
      entry: new URL('./process/sampling-child.ts', import.meta.url),
      opening: checkpointDirectory,
      processes: threads,
      rows: batchSize,
      runMark,
      staysWarm,
    });
    const template = await readTemplate(await modelFiles(checkpointDirectory));
    return template === null ? pool : new ChatGenerator(pool, new ChatTemplate(template));
  };
}

export interface EmbeddedTrainerOptions extends EmbeddedOptions {
  /** Minimum time between two saves of a training's state, if the request names a folder for it; default 10 s. */
  readonly keepStateMs?: number;
  /** Finds the base model of a training whose request names no parent; null: fresh weights. */
  readonly findBase?: (signal: AbortSignal | undefined) => Promise<string | null>;
}

export function embeddedTrainer(options: EmbeddedTrainerOptions): Trainer {
  return {
    async train(request, trainOptions = {}) {
      refuseShare(trainOptions);
      const base = request.initDirectory ?? (await options.findBase?.(trainOptions.signal)) ?? null;
      return train({ ...request, initDirectory: base }, trainOptions, options);
    },
  };
}

async function train(
  request: TrainRequest,
  { signal, onProgress, onKept }: TrainOptions,
  { threads, runMark, keepStateMs }: EmbeddedTrainerOptions,
): Promise<TrainResult> {
  const kept = oneAtATime(onKept);
  const asked: TrainingRequest = { type: 'train', request, threads, keepStateMs };
  return inOwnProcess<TrainingMessage, TrainResult>(asked, {
    entry: new URL('./process/training-child.ts', import.meta.url),
    runMark,
    silenceLimitMs: await trainingSilenceMs(request),
    signal,
    output: request.outputDirectory,
    onMessage: (message, done) => {
      if (message.type === 'trained') done(message.result);
      else if (message.type === 'kept') kept(message.state);
      else onProgress?.(message.progress);
    },
  });
}
