/**
 * The `Trainer` port by Levanter on one host: examples as rows, the training, its export as a checkpoint folder. A training
 * that was cut off goes on from Levanter's last checkpoint. The optimizer, the loss and the first weights are those of the
 * other trainers; which examples share a step is not: a step is a number of full rows here, not of tokens.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LevanterEngine } from '../../data/schemas/engines.ts';
import { removePartialCheckpoints } from '../checkpoint/checkpoint.ts';
import { startingPoint } from '../embedded/starting-point.ts';
import type { WrittenRows } from '../process/trainer-messages.ts';
import { refuseShare, type Trainer, type TrainOptions, type TrainRequest, type TrainResult } from '../trainer.ts';
import { exportFolder, levanterCommand, levanterConfig, rowsPerStep } from './config.ts';
import { runLevanter, StepMetrics } from './run.ts';
import { sealExport, writeRows } from './scripts.ts';

const WORK_SUFFIX = '.levanter';
const ID_DIGITS = 16;
const MILLISECONDS = 1_000;

export interface LevanterTrainerOptions {
  readonly engine: LevanterEngine;
  /** Threads for reading examples; Levanter takes what there is. */
  readonly threads: number;
  readonly runMark?: string | undefined;
}

export function levanterTrainer(options: LevanterTrainerOptions): Trainer {
  return {
    async train(request, trainOptions = {}) {
      refuseShare(trainOptions);
      return train(request, trainOptions, options);
    },
  };
}

/** Tokens of so many steps; rows are alike enough, and Levanter does not say which of them it took. */
export const tokensOf = (
  request: Pick<TrainRequest, 'steps' | 'tokensPerStep' | 'shape'>,
  train: WrittenRows,
): number => Math.round((request.steps * rowsPerStep(request) * train.tokens) / train.rows);

async function train(
  request: TrainRequest,
  { signal, onProgress }: TrainOptions,
  { engine, threads, runMark }: LevanterTrainerOptions,
): Promise<TrainResult> {
  const work = `${resolve(request.outputDirectory)}${WORK_SUFFIX}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const script = { python: engine.python, threads, runMark, signal, work };
  try {
    const { initDirectory, parent } = await startingPoint(request, engine.base, work, { runMark, signal });
    const rowsDirectory = join(work, 'rows');
    const rows = await writeRows(request, initDirectory, rowsDirectory, script);
    const configPath = join(work, 'config.yaml');
    const id = await trainingId(request, engine, parent);
    const paths = ({ files }: WrittenRows) => files.map((name) => join(rowsDirectory, name));
    const places = {
      init: initDirectory,
      trainRows: paths(rows.train),
      heldOutRows: paths(rows.heldOut),
      cache: join(work, 'cache'),
      state: request.stateDirectory ?? join(work, 'state'),
      export: join(work, 'export'),
      logs: join(work, 'logs'),
    };
    await writeFile(configPath, levanterConfig({ id, request, engine, places }));
    const { steps, seed } = request;
    const metrics = new StepMetrics(steps, onProgress);
    const started = performance.now();
    const logPath = `${resolve(request.outputDirectory)}.log`;
    await runLevanter(levanterCommand(engine, configPath), { logPath, runMark, signal, work, metrics });
    const seconds = (performance.now() - started) / MILLISECONDS;
    const tokens = tokensOf(request, rows.train);
    const { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = request;
    const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
    const finalLoss = metrics.finalLoss();
    const exported = join(places.export, id, exportFolder(steps));
    const training = { seed, steps, tokens, finalLoss, ...recipe, parent };
    await sealExport(exported, initDirectory, request.outputDirectory, training, script);
    const [tooLong, heldOutTooLong] = [rows.train.tooLong, rows.heldOut.tooLong];
    return { steps, finalLoss, heldOutLoss: metrics.heldOutLoss, tokens, seconds, tooLong, heldOutTooLong };
  } catch (error) {
    await removePartialCheckpoints(request.outputDirectory);
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** All that a training depends on: checkpoints of another are never taken up. */
export async function trainingId(
  request: TrainRequest,
  engine: LevanterEngine,
  parent: string | null,
): Promise<string> {
  const { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed, shape } =
    request;
  const recipe = { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed };
  const hash = createHash('sha256').update(JSON.stringify([recipe, shape, engine, parent]));
  for await (const part of createReadStream(request.examplesPath)) hash.update(part as Buffer);
  return `stp-${hash.digest('hex').slice(0, ID_DIGITS)}`;
}
