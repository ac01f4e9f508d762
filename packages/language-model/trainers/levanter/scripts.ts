/**
 * The two scripts around a training by Levanter (`packages/language-model/trainers/python/`): examples to rows, an
 * export to a checkpoint.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import type { TrainingRecord } from '../../checkpoint/training-record.ts';
import type { TrainerMessage, WrittenRows } from '../../process/trainer-messages.ts';
import { runTrainerProcesses } from '../../process/trainer-processes.ts';
import type { TrainRequest } from '../../trainer.ts';
import { rowsWanted } from './config.ts';

const SCRIPTS = resolve(import.meta.dirname, '../python');
/** Maximum silence: reading and packing examples, or writing a model, take long without a message. */
const SCRIPT_SILENCE_MS = 6 * 3_600_000;

export interface ScriptOptions {
  readonly python: string;
  readonly threads: number;
  readonly runMark?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Folder for requests and logs. */
  readonly work: string;
}

export interface Rows {
  readonly train: WrittenRows;
  readonly heldOut: WrittenRows;
}

/** Writes the rows of a training into a folder. Throws STP1002 if there is no example, STP1501 for a bad line. */
export async function writeRows(
  request: Pick<TrainRequest, 'examplesPath' | 'heldOutPath' | 'seed' | 'shape' | 'steps' | 'tokensPerStep'>,
  initDirectory: string,
  rowsDirectory: string,
  options: ScriptOptions,
): Promise<Rows> {
  const { examplesPath, heldOutPath, seed, shape } = request;
  const paths = { examplesPath, heldOutPath, initDirectory, rowsDirectory };
  const asked = { ...paths, seed, contextLength: shape.contextLength, rowsWanted: rowsWanted(request) };
  const said = await runScript('levanter_rows.py', asked, options);
  if (said.type !== 'rows') throw unexpected('levanter_rows.py', said);
  if (said.train.rows === 0) throw nothingToTrain(examplesPath, said.train);
  return { train: said.train, heldOut: said.heldOut };
}

/** Makes the checkpoint folder `outputDirectory` from an export, with the shape and tokenizer of `initDirectory`. */
export async function sealExport(
  exportDirectory: string,
  initDirectory: string,
  outputDirectory: string,
  training: TrainingRecord,
  options: ScriptOptions,
): Promise<void> {
  const asked = { exportDirectory, initDirectory, outputDirectory, training };
  const said = await runScript('seal_checkpoint.py', asked, options);
  if (said.type !== 'sealed') throw unexpected('seal_checkpoint.py', said);
}

/** Runs a script of `packages/language-model/trainers/python/` with a request and returns its last message. */
async function runScript(
  name: string,
  asked: object,
  { python, runMark, threads, work, signal }: ScriptOptions,
): Promise<TrainerMessage> {
  const path = join(work, `${name}.json`);
  await writeFile(path, JSON.stringify(asked));
  const said: { last: TrainerMessage | null } = { last: null };
  await runTrainerProcesses({
    command: [python, join(SCRIPTS, name), '--request', path],
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
  if (said.last === null) throw new StpError('STP1301', `${name} gave no answer`, 'Look into its log.');
  return said.last;
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
    'Use the scripts of this version (packages/language-model/trainers/python).',
  );
}
