/**
 * The embedded model behind the `Generator` and `Trainer` ports: an ONNX transformer on this machine's CPU, in separate
 * processes. It keeps the ports' promises: results depend on checkpoint, request and seed, and every failure is an
 * `StpError`.
 */
import { ChatGenerator } from '../chat/chat-generator.ts';
import { ChatTemplate } from '../chat/chat-template.ts';
import { removePartialCheckpoints } from '../checkpoint/checkpoint.ts';
import { readTemplate } from '../checkpoint/folder-tokenizer.ts';
import { modelFiles } from '../checkpoint/model-folder.ts';
import type { GeneratorFactory } from '../generator.ts';
import { oneAtATime } from '../process/one-at-a-time.ts';
import { refuseShare, type Trainer, type TrainOptions, type TrainRequest, type TrainResult } from '../trainer.ts';
import { EngineProcess } from './process/engine-process.ts';
import { SamplingPool } from './process/sampling-pool.ts';
import type { TrainingMessage, TrainingRequest } from './process/training-messages.ts';
import { trainingSilenceMs } from './process/training-silence.ts';

/** Rows decoded together: beyond 64 a step's cost grows about as fast as its rows. */
const BATCH_SIZE_DEFAULT = 64;

export interface EmbeddedOptions {
  /** Cores to use: sampling processes, or threads of the one training process. */
  readonly threads: number;
  /** Run the processes belong to, for clean-up. */
  readonly runMark?: string;
}

export interface EmbeddedGeneratorOptions extends EmbeddedOptions {
  readonly batchSize?: number;
  /** Whether the processes outlive an aborted call that was the only one: for callers who ask again at once. */
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
  /** Least time between two keepings of the state of a training whose request has a folder for it, default 10 s. */
  readonly keepStateMs?: number;
  /** Finds the folder of the model that a training starts from where its request names none; null: fresh weights. */
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

/** One process a training; ended with it, and on abort. What it leaves half-written is removed. */
async function train(
  request: TrainRequest,
  { signal, onProgress, onKept }: TrainOptions,
  options: EmbeddedTrainerOptions,
): Promise<TrainResult> {
  const silenceLimitMs = await trainingSilenceMs(request);
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<TrainResult>();
  const kept = oneAtATime(onKept);
  const engine = new EngineProcess<TrainingRequest, TrainingMessage>({
    entry: new URL('./process/training-child.ts', import.meta.url),
    runMark: options.runMark,
    silenceLimitMs,
    onMessage: (message) => {
      if (message.type === 'trained') resolve(message.result);
      else if (message.type === 'kept') kept(message.state);
      else onProgress?.(message.progress);
    },
    onFailure: reject,
  });
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  engine.setBusy(true);
  engine.send({ type: 'train', request, threads: options.threads, keepStateMs: options.keepStateMs });
  try {
    return await promise;
  } catch (error) {
    await engine.end();
    await removePartialCheckpoints(request.outputDirectory);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await engine.end();
  }
}
