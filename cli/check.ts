/**
 * `stp check FILE|FOLDER…` prints one line per theorem. Exit 0: every file is accepted; 1: one file is rejected; 2: no
 * file is rejected, but one could not be checked (`--strict`: 1 also where a reader could be deceived); 128 plus a signal's number: the signal ended the command. All files
 * share one Lean, one sandbox and one time limit.
 */
import { availableParallelism } from 'node:os';
import { StpError } from '../data/errors.ts';
import type { SandboxPolicy } from '../lean/runtime/sandbox/open-sandbox.ts';
import { checkFile } from '../lean/trust/check-file.ts';
import { type WorkerSettings, workerSettings } from '../workers/settings.ts';
import { runBounded, TimeIsUp } from './bounded-command.ts';
import { type CheckedFile, isNoted, linesOf, summaryLine, uncheckedFile } from './check-lines.ts';
import { findLeanFiles, type LeanFile } from './lean-files.ts';
import { describePlace, type LeanPlace, openLeanPlace } from './lean-place.ts';
import { sayRemoved } from './leavings.ts';
import { SECONDS_MAX } from './options.ts';

export interface CheckCommand {
  readonly json?: boolean;
  /** Exit 1 also for what can deceive a reader. */
  readonly strict?: boolean;
  readonly sandbox: SandboxPolicy;
  /** Seconds of wall time for the whole command. */
  readonly timeout: number;
}

/** The exit code. */
export function check(paths: readonly string[], options: CheckCommand): Promise<number> {
  return runBounded(options.timeout, (signal) => checkAll(paths, options, signal));
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
    // If no file can be read, the command does not look for Lean.
    judge = files.some(({ problem }) => problem === null) ? await openJudge(settings, options, signal) : null;
    for (const file of files) tell(await checkOne(file, judge, signal));
  } catch (error) {
    if (!(error instanceof StpError || error instanceof TimeIsUp)) throw error;
    for (const [index, { path, problem }] of files.slice(checked.length).entries())
      tell(uncheckedFile(path, problem ?? reasonOf(error, judge === null ? null : index === 0), judge?.sandbox.facts));
  } finally {
    await judge?.scratch.remove();
  }
  console.error(summaryLine(checked, judge === null ? '' : ` by ${describePlace(judge)}`));
  return exitCode(checked, options.strict ?? false);
}

/** The Lean, the sandbox and the limits that all files of a call share. */
interface Judge extends LeanPlace {
  /** Processor time of one process, ms: large enough that the command's wall time always ends first. */
  readonly timeoutMs: number;
}

async function openJudge(settings: WorkerSettings, options: CheckCommand, signal: AbortSignal): Promise<Judge> {
  const place = await openLeanPlace('check', settings, options.sandbox, signal);
  return { ...place, timeoutMs: 1_000 * options.timeout * availableParallelism() };
}

/** Rejects with the signal's reason. */
async function checkOne({ path, problem }: LeanFile, judge: Judge | null, signal: AbortSignal): Promise<CheckedFile> {
  if (judge === null || problem !== null) return uncheckedFile(path, problem ?? '', judge?.sandbox.facts);
  signal.throwIfAborted();
  const { environment, sandbox, scratch, timeoutMs } = judge;
  const { directory: scratchDirectory, runMark } = scratch;
  const options = { scratchDirectory, runMark, sandbox, signal, timeoutMs, indexFolder: judge.indexFolder };
  const report = await checkFile(path, environment, options);
  const { outcome, reason, theorems, others: declarations = [], notes = [], checks } = report;
  // If the signal stopped this check, report the signal's reason instead.
  if (outcome === 'unchecked') signal.throwIfAborted();
  return { file: path, outcome, reason, theorems, declarations, notes, checks, sandbox: report.sandbox };
}

/** Why a file was given up. `wasBegun`: null if Lean was not ready. */
function reasonOf(error: StpError | TimeIsUp, wasBegun: boolean | null): string {
  if (error instanceof StpError) return error.toText();
  const advice = `--timeout SECONDS gives more, up to ${SECONDS_MAX}`;
  if (wasBegun === null) return `Lean was not ready within ${error.seconds} seconds; ${advice}`;
  if (!wasBegun) return `not begun: ${error.message}; ${advice}`;
  return `not judged when the ${error.seconds} seconds of this command were over: Lean was ended; ${advice}`;
}

function exitCode(files: readonly CheckedFile[], isStrict: boolean): number {
  if (files.some((file) => file.outcome === 'rejected' || (isStrict && isNoted(file)))) return 1;
  return files.every(({ outcome }) => outcome === 'accepted') ? 0 : 2;
}
