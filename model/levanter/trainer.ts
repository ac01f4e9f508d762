/**
 * The `Trainer` port by Levanter on one host: examples as rows, the training, its export as a checkpoint folder. A training
 * that was cut off goes on from Levanter's last checkpoint. The optimizer, the loss and the first weights are those of the
 * other trainers; which examples share a step is not: a step is a number of full rows here, not of tokens.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { StpError } from '../../data/errors.ts';
import type { LevanterEngine } from '../../data/schemas/engines.ts';
import { removePartialCheckpoints } from '../checkpoint/checkpoint.ts';
import { startingPoint } from '../embedded/starting-point.ts';
import { CappedLog } from '../process/capped-log.ts';
import { ProcessGroup } from '../process/process-group.ts';
import type { TrainerMessage, WrittenRows } from '../process/trainer-messages.ts';
import { runTrainerProcesses } from '../process/trainer-processes.ts';
import type { Trainer, TrainOptions, TrainRequest, TrainResult } from '../trainer.ts';
import { exportFolder, levanterCommand, levanterConfig, rowsPerStep, rowsWanted } from './config.ts';
import { type LevanterMetrics, parseMetricsLine } from './metrics-log.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../infra/trainers');
const WORK_SUFFIX = '.levanter';
/** Reading and packing examples, or writing a model: long without a word. */
const SCRIPT_SILENCE_MS = 6 * 3_600_000;
/** Share of the steps, at the end, that the final loss is averaged over. */
const FINAL_LOSS_SHARE = 0.1;
const ID_DIGITS = 16;
const MILLISECONDS = 1_000;

export interface LevanterTrainerOptions {
  readonly engine: LevanterEngine;
  /** Threads for reading examples; Levanter takes what there is. */
  readonly threads: number;
  readonly runMark?: string | undefined;
}

export function levanterTrainer(options: LevanterTrainerOptions): Trainer {
  return { train: (request, trainOptions = {}) => train(request, trainOptions, options) };
}

async function train(
  request: TrainRequest,
  { signal, onProgress }: TrainOptions,
  options: LevanterTrainerOptions,
): Promise<TrainResult> {
  const { engine, runMark } = options;
  const work = `${resolve(request.outputDirectory)}${WORK_SUFFIX}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const script = (name: string, asked: object) => runScript(name, asked, work, options, signal);
  try {
    const { initDirectory, parent } = await startingPoint(request, engine.base, work, { runMark, signal });
    const { examplesPath, heldOutPath, seed, shape, steps } = request;
    const rowsDirectory = join(work, 'rows');
    const asked = {
      examplesPath,
      heldOutPath,
      seed,
      contextLength: shape.contextLength,
      initDirectory,
      rowsDirectory,
      rowsWanted: rowsWanted(request),
    };
    const rows = await script('levanter_rows.py', asked);
    if (rows.type !== 'rows') throw unexpected('levanter_rows.py', rows);
    if (rows.train.rows === 0) throw nothingToTrain(examplesPath, rows.train);
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
    const metrics = new StepMetrics(steps, onProgress);
    const started = performance.now();
    const logPath = `${resolve(request.outputDirectory)}.log`;
    await runLevanter(levanterCommand(engine, configPath), { logPath, runMark, signal, work, metrics });
    const seconds = (performance.now() - started) / MILLISECONDS;
    // Rows are alike enough: Levanter does not say which of them it took.
    const tokens = Math.round((steps * rowsPerStep(request) * rows.train.tokens) / rows.train.rows);
    const { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = request;
    const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
    const finalLoss = metrics.finalLoss();
    const sealed = await script('seal_checkpoint.py', {
      initDirectory,
      exportDirectory: join(places.export, id, exportFolder(steps)),
      outputDirectory: request.outputDirectory,
      training: { seed, steps, tokens, finalLoss, ...recipe, parent },
    });
    if (sealed.type !== 'sealed') throw unexpected('seal_checkpoint.py', sealed);
    const [tooLong, heldOutTooLong] = [rows.train.tooLong, rows.heldOut.tooLong];
    return { steps, finalLoss, heldOutLoss: metrics.heldOutLoss, tokens, seconds, tooLong, heldOutTooLong };
  } catch (error) {
    await removePartialCheckpoints(request.outputDirectory);
    throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Steps as Levanter's log has them. A training that was taken up says nothing of the steps before. */
class StepMetrics {
  heldOutLoss: number | null = null;
  readonly #steps: number;
  readonly #onProgress: TrainOptions['onProgress'];
  #speed = 0;
  #norm = 0;
  readonly #losses: { readonly step: number; readonly loss: number }[] = [];

  constructor(steps: number, onProgress: TrainOptions['onProgress']) {
    this.#steps = steps;
    this.#onProgress = onProgress;
  }

  take({ step, loss, gradientNorm, tokensPerSecond, heldOutLoss }: LevanterMetrics): void {
    if (heldOutLoss !== null) this.heldOutLoss = heldOutLoss;
    // Levanter says these in lines of their own, before the loss of the step.
    this.#speed = tokensPerSecond ?? this.#speed;
    this.#norm = gradientNorm ?? this.#norm;
    if (loss === null || step > this.#steps) return;
    this.#losses.push({ step, loss });
    const measured = { gradientNorm: this.#norm, tokensPerSecond: this.#speed };
    this.#onProgress?.({ step, steps: this.#steps, loss, ...measured, heldOutLoss });
  }

  /** Mean over the last tenth of the steps, each counted alike. */
  finalLoss(): number {
    const first = this.#steps - Math.max(1, Math.round(this.#steps * FINAL_LOSS_SHARE)) + 1;
    const last = this.#losses.filter(({ step }) => step >= first);
    if (last.length === 0)
      throw new StpError('STP1301', 'Levanter logged no loss', 'Look into its log; use the release that is pinned.');
    return last.reduce((sum, { loss }) => sum + loss, 0) / last.length;
  }
}

async function runLevanter(
  command: readonly string[],
  run: {
    logPath: string;
    runMark: string | undefined;
    signal: AbortSignal | undefined;
    work: string;
    metrics: StepMetrics;
  },
): Promise<void> {
  const { signal } = run;
  signal?.throwIfAborted();
  const log = new CappedLog(run.logPath);
  const environment = { HF_HUB_OFFLINE: '1', PYTHONUNBUFFERED: '1', WANDB_MODE: 'disabled' };
  const group = await ProcessGroup.start(command, { environment, directory: run.work, runMark: run.runMark });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    group.child.stdin!.end();
    for (const stream of [group.child.stdout!, group.child.stderr!]) {
      log.take(stream);
      createInterface({ input: stream }).on('line', (line) => {
        const metrics = parseMetricsLine(line);
        if (metrics !== null) run.metrics.take(metrics);
      });
    }
    const { code, signal: endedBy } = await Promise.race([group.exited, aborted]);
    if (code === 0) return;
    const last = log.tail.trim().split('\n').at(-1) ?? '';
    throw new StpError(
      'STP1301',
      `Levanter ended ${endedBy === null ? `with code ${code}` : `by ${endedBy}`}: ${last.slice(0, 500)}`,
      'It goes on from its last checkpoint on the next try. If this repeats, look into its log.',
      { retryable: true, facts: { code, signal: endedBy, log: log.path } },
    );
  } finally {
    signal?.removeEventListener('abort', abort);
    await group.end();
    await log.close();
  }
}

/** Runs a script of `infra/trainers/` with a request and gives the last thing it said. */
async function runScript(
  name: string,
  asked: object,
  work: string,
  { engine, runMark, threads }: LevanterTrainerOptions,
  signal: AbortSignal | undefined,
): Promise<TrainerMessage> {
  const path = join(work, `${name}.json`);
  await writeFile(path, JSON.stringify(asked));
  const said: { last: TrainerMessage | null } = { last: null };
  await runTrainerProcesses({
    command: [engine.python, join(SCRIPTS, name), '--request', path],
    processes: 1,
    logPath: join(work, `${name}.log`),
    runMark,
    environment: { RAYON_NUM_THREADS: `${threads}`, PYTHONDONTWRITEBYTECODE: '1' },
    silenceLimitMs: SCRIPT_SILENCE_MS,
    signal,
    onMessage: (message) => {
      said.last = message;
    },
  });
  if (said.last === null) throw new StpError('STP1301', `${name} said nothing`, 'Look into its log.');
  return said.last;
}

/** All that a training depends on: checkpoints of another are never taken up. */
async function trainingId(request: TrainRequest, engine: LevanterEngine, parent: string | null): Promise<string> {
  const { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed, shape } =
    request;
  const recipe = { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed };
  const hash = createHash('sha256').update(JSON.stringify([recipe, shape, engine, parent]));
  for await (const part of createReadStream(request.examplesPath)) hash.update(part as Buffer);
  return `stp-${hash.digest('hex').slice(0, ID_DIGITS)}`;
}

function nothingToTrain(path: string, { tooLong }: WrittenRows): StpError {
  return new StpError(
    'STP1002',
    `${path} has no example to train on (${tooLong} are longer than the context)`,
    'Give examples of positive weight that fit contextLength, or raise contextLength.',
  );
}

function unexpected(script: string, { type }: TrainerMessage): StpError {
  return new StpError(
    'STP1301',
    `${script} answered with ${type}`,
    'Use the scripts of this version (infra/trainers).',
  );
}
