/**
 * `stp verify FILE`: a verdict for every row `{id, header, statement, proof}` of a JSON Lines file or of standard
 * input, in order and as they come. Exit 0: all rows were judged, with any verdicts; 2: one row is invalid or has no
 * verdict; 128 plus a signal's number: the signal ended the command. Memory holds a few windows of rows, independent of
 * the number of rows.
 */
import { fstatSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { StpError } from '@stp/base';
import type { SandboxPolicy } from '@stp/lean-verifier';
import { type WorkerSettings, workerSettings } from '../../workers/settings.ts';
import { runBounded, TimeIsUp } from '../shared/bounded-command.ts';
import { describeSetup, type LeanSetup, openLeanSetup } from '../shared/lean-setup.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { lostOutputCode } from '../shared/output-closed.ts';
import { mapInOrder, windowsOf } from '../shared/windows.ts';
import { openCertificates } from './certificates-folder.ts';
import { openJudge, type RowJudge, reasonOf, unjudged } from './verify-judge.ts';
import { type Answer, answerLine, Tally } from './verify-lines.ts';
import { type InvalidRow, rowsOf, type VerifyRow } from './verify-rows.ts';

/** The rows of two modules of proofs. */
const WINDOW_ROWS = 300;
/** While one window's modules are judged, Lean tries the proofs of the next. */
const WINDOWS_AT_ONCE = 2;
/** How long rows wait for later rows to fill a window, ms. */
const LINGER_MS = 200;
const MEBIBYTE = 1_048_576;

export interface VerifyCommand {
  readonly json?: boolean;
  /** Return each row's further keys; answers are then JSON. */
  readonly keep?: boolean;
  /** Folder for a certificate of each proof. */
  readonly certify?: string;
  /** Seconds of wall time for the whole command; without it there is no limit. */
  readonly timeout?: number;
  readonly processes: number;
  readonly memoryMb: number;
  readonly sandbox: SandboxPolicy;
}

/** The output cannot be written; usually its reader has closed the pipe. */
class OutputClosed extends Error {}

/** Returns the exit code. */
export async function verify(path: string, options: VerifyCommand): Promise<number> {
  const closed = new AbortController();
  process.stdout.on('error', () => closed.abort(new OutputClosed('nobody reads the answers any more')));
  try {
    return await runBounded(options.timeout, (signal) =>
      verifyAll(path, options, AbortSignal.any([closed.signal, signal])),
    );
  } catch (error) {
    if (error instanceof OutputClosed) return lostOutputCode() ?? 128 + constants.signals.SIGPIPE;
    throw error;
  }
}

async function verifyAll(path: string, options: VerifyCommand, signal: AbortSignal): Promise<number> {
  const settings = workerSettings();
  const input = await openInput(path);
  if (options.certify !== undefined) await openCertificates(options.certify);
  await sayRemoved(settings.scratchDirectory);
  const lean = new LazyLean(settings, options, signal);
  const tally = new Tally();
  const { keep = false, json = keep } = options;
  let rest = '';
  const onAbort = (): void => {
    // A file ends soon; a pipe's writer may never end.
    if (!(input.isFile && signal.reason instanceof TimeIsUp)) input.stream.destroy(signal.reason);
  };
  signal.addEventListener('abort', onAbort);
  const judge = (rows: readonly VerifyRow[]) => lean.judge(rows);
  try {
    for await (const answers of answersOf(input.stream, WINDOW_ROWS, judge, keep)) {
      if (signal.aborted && !(signal.reason instanceof TimeIsUp)) throw signal.reason;
      for (const answer of answers) tally.add(answer);
      await print(answers.map((answer) => `${answerLine(answer, json)}\n`).join(''));
    }
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    rest = `; the rest of the input was not read: ${error.message}`;
  } finally {
    signal.removeEventListener('abort', onAbort);
    input.stream.destroy();
    await lean.close();
  }
  const { uncertified } = tally;
  const missing = uncertified === 0 ? '' : `; certificates that could not be written: ${uncertified}`;
  console.error(`${tally.text}${lean.description}${missing}${rest}`);
  if (!tally.isComplete || rest !== '') return 2;
  return uncertified === 0 ? 0 : 1;
}

/** Yields each window's answers in order. `judge` returns one for every row. */
export async function* answersOf(
  chunks: AsyncIterable<Buffer>,
  windowRows: number,
  judge: (rows: readonly VerifyRow[]) => Promise<readonly Answer[]>,
  keep = false,
): AsyncGenerator<readonly Answer[]> {
  const windows = windowsOf(rowsOf(chunks, keep), windowRows, LINGER_MS);
  yield* mapInOrder(windows, WINDOWS_AT_ONCE, async (window) => {
    const rows = window.filter((row): row is VerifyRow => !('problem' in row));
    const answers = rows.length === 0 ? [] : await judge(rows);
    let judged = 0;
    return window.map((row) => {
      const answer = 'problem' in row ? invalid(row) : answers[judged++]!;
      return row.further === undefined ? answer : { ...answer, row: row.further };
    });
  });
}

function invalid({ id, problem }: InvalidRow): Answer {
  return { id, verdict: 'invalid', axioms: [], checks: [], message: problem };
}

interface Input {
  readonly stream: Readable;
  readonly isFile: boolean;
}

/**
 * Throws STP1002 if the path is no file that can be read. A pipe is read like standard input, whose reads can be
 * cancelled.
 */
async function openInput(path: string): Promise<Input> {
  if (path === '-') return { stream: process.stdin, isFile: fstatSync(process.stdin.fd).isFile() };
  const refuse = ({ code, message }: NodeJS.ErrnoException): never => {
    throw notReadable(code === 'ENOENT' ? `there is no file ${path}` : `cannot read ${path}: ${message}`);
  };
  // Opening a named pipe would wait for its writer.
  if (!(await stat(path).catch(refuse)).isFile()) throw notReadable(`${path} is no regular file`);
  const file = await open(path).catch(refuse);
  return { stream: file.createReadStream(), isFile: true };
}

function notReadable(problem: string): StpError {
  return new StpError('STP1002', problem, 'Name a file of rows, or write - and give them on standard input.');
}

/** Opens Lean at the first row, so that an input without rows needs no Lean. */
class LazyLean {
  readonly #settings: WorkerSettings;
  readonly #options: VerifyCommand;
  readonly #signal: AbortSignal;
  #opening: Promise<RowJudge> | null = null;
  #setup: LeanSetup | null = null;

  constructor(settings: WorkerSettings, options: VerifyCommand, signal: AbortSignal) {
    this.#settings = settings;
    this.#options = options;
    this.#signal = signal;
  }

  async judge(rows: readonly VerifyRow[]): Promise<readonly Answer[]> {
    try {
      this.#opening ??= this.#open();
      const opened = await this.#opening;
      return await opened.judge(rows, this.#signal);
    } catch (error) {
      const reason = reasonOf(error, this.#signal);
      return rows.map((row) => unjudged(row, reason));
    }
  }

  /** Describes the Lean in words; empty if none was searched or found. */
  get description(): string {
    return this.#setup === null ? '' : ` by ${describeSetup(this.#setup)}`;
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => null);
    await opened?.close();
    await this.#setup?.scratch.remove();
  }

  async #open(): Promise<RowJudge> {
    const { processes, memoryMb, sandbox, certify = null } = this.#options;
    this.#signal.throwIfAborted();
    this.#setup = await openLeanSetup('verify', this.#settings, sandbox, this.#signal);
    return openJudge(this.#setup, { processes, memoryBytesMax: memoryMb * MEBIBYTE }, certify);
  }
}

/** Resolves once the text has left this process, so that unread output does not fill memory. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(new OutputClosed(error.message)) : resolve()));
  });
}
