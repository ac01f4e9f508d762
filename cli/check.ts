/**
 * `stp check FILE|FOLDER…`: a line a theorem. Exit 0: every file is accepted; 1: one is rejected; 2: none is, and one could
 * not be checked; 128 and a signal's number: ended by it. All files share one look for Lean, one sandbox and one time limit.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { StpError } from '../data/errors.ts';
import { printableText } from '../data/printable.ts';
import type { SandboxFacts } from '../data/schemas/records.ts';
import { type CommandScratch, openCommandScratch } from '../infra/nodes/command-scratch.ts';
import { checkFile } from '../lean/check-file.ts';
import { openSandbox, type SandboxPolicy } from '../lean/sandbox/open-sandbox.ts';
import type { Sandbox } from '../lean/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../lean/verifier.ts';
import { leanEnvironment } from '../workers/assemble.ts';
import { type WorkerSettings, workerSettings } from '../workers/settings.ts';
import { type CheckedFile, linesOf, summaryLine, uncheckedFile } from './check-lines.ts';
import { findLeanFiles, type LeanFile } from './lean-files.ts';
import { sayRemoved } from './leavings.ts';
import { SECONDS_MAX } from './options.ts';
import { Stopped, stopSignal } from './stop-signals.ts';

export interface CheckCommand {
  readonly json?: boolean;
  readonly sandbox: SandboxPolicy;
  /** Seconds of wall time for the whole command. */
  readonly timeout: number;
}

/** Why work was given up: the time of the command is over. */
class TimeIsUp extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`the ${seconds} seconds of this command are over`);
    this.seconds = seconds;
  }
}

/** The exit code. */
export async function check(paths: readonly string[], options: CheckCommand): Promise<number> {
  const stop = stopSignal();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new TimeIsUp(options.timeout)), 1_000 * options.timeout);
  try {
    return await checkAll(paths, options, AbortSignal.any([stop, limit.signal]));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    console.error(error.message);
    return error.exitCode;
  } finally {
    clearTimeout(timer);
  }
}

async function checkAll(paths: readonly string[], options: CheckCommand, signal: AbortSignal): Promise<number> {
  const settings = workerSettings();
  await sayRemoved(settings.scratchDirectory);
  const files = await findLeanFiles(paths);
  const checked: CheckedFile[] = [];
  const tell = (one: CheckedFile): void => {
    checked.push(one);
    for (const line of linesOf(one, options.json ?? false)) console.log(line);
  };
  let judge: Judge | null = null;
  try {
    // Where there is nothing to read, no Lean is looked for.
    judge = files.some(({ problem }) => problem === null) ? await openJudge(settings, options, signal) : null;
    for (const file of files) tell(await checkOne(file, judge, signal));
  } catch (error) {
    if (!(error instanceof StpError || error instanceof TimeIsUp)) throw error;
    for (const [index, { path, problem }] of files.slice(checked.length).entries())
      tell(uncheckedFile(path, problem ?? reasonOf(error, judge === null ? null : index === 0), judge?.sandbox.facts));
  } finally {
    await judge?.scratch.remove();
  }
  console.error(summaryLine(checked, judge === null ? '' : by(judge)));
  return exitCode(checked);
}

/** What all files of a call are judged with. */
interface Judge {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  readonly scratch: CommandScratch;
  /** Which compiled module holds which constant, kept between calls. */
  readonly indexFolder: string;
  /** Processor time of one process, ms: never less than there can be in the time of the command, which decides. */
  readonly timeoutMs: number;
}

async function openJudge(settings: WorkerSettings, options: CheckCommand, signal: AbortSignal): Promise<Judge> {
  const say = (line: string): void => console.error(printableText(line));
  const environment = await leanEnvironment(settings, say, signal);
  const { cacheDirectory, scratchDirectory } = settings;
  const sandbox = await openSandbox(options.sandbox, {
    cacheDirectory,
    environment,
    install: 'auto',
    onProgress: say,
    signal,
  });
  const scratch = await openCommandScratch(scratchDirectory, 'check');
  const indexFolder = join(cacheDirectory, 'constants');
  return { environment, sandbox, scratch, indexFolder, timeoutMs: 1_000 * options.timeout * availableParallelism() };
}

/** Rejects with the signal's reason. */
async function checkOne({ path, problem }: LeanFile, judge: Judge | null, signal: AbortSignal): Promise<CheckedFile> {
  if (judge === null || problem !== null) return uncheckedFile(path, problem ?? '', judge?.sandbox.facts);
  signal.throwIfAborted();
  const { environment, sandbox, scratch, timeoutMs } = judge;
  const { directory: scratchDirectory, runMark } = scratch;
  const options = { scratchDirectory, runMark, sandbox, signal, timeoutMs, indexFolder: judge.indexFolder };
  const report = await checkFile(path, environment, options);
  const { outcome, reason, theorems, checks } = report;
  // What was given up for the signal says something else of itself.
  if (outcome === 'unchecked') signal.throwIfAborted();
  return { file: path, outcome, reason, theorems, checks, sandbox: report.sandbox };
}

/** What is said of a file that was given up. `wasBegun`: null where Lean was not ready. */
function reasonOf(error: StpError | TimeIsUp, wasBegun: boolean | null): string {
  if (error instanceof StpError) return error.toText();
  const advice = `--timeout SECONDS gives more, up to ${SECONDS_MAX}`;
  if (wasBegun === null) return `Lean was not ready within ${error.seconds} seconds; ${advice}`;
  if (!wasBegun) return `not begun: ${error.message}; ${advice}`;
  return `not judged when the ${error.seconds} seconds of this command were over: Lean was ended; ${advice}`;
}

function by({ environment, sandbox }: Judge): string {
  return ` by ${environment.version}${walls(sandbox.facts)}`;
}

function walls({ kind, description }: SandboxFacts): string {
  return kind === 'none' ? ', without a sandbox' : ` in ${description}`;
}

function exitCode(files: readonly CheckedFile[]): number {
  if (files.some(({ outcome }) => outcome === 'rejected')) return 1;
  return files.every(({ outcome }) => outcome === 'accepted') ? 0 : 2;
}
