/**
 * `stp check FILE|FOLDER…` prints one line per theorem. Exit 0: every file is accepted; 1: one file is rejected; 2: no
 * file is rejected, but one could not be checked (`--strict`: 1 also where a reader could be deceived); 128 plus a
 * signal's number: the signal ended the command. All files share one Lean, one sandbox and one time limit.
 */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { StpError } from '@stp/base';
import {
  checkFile,
  FolderModules,
  modulePath,
  type Neighbour,
  type Neighbours,
  type SandboxPolicy,
  toolchainFolder,
} from '@stp/lean-verifier';
import { type WorkerSettings, workerSettings } from '../../workers/settings.ts';
import { runBounded, TimeIsUp } from '../shared/bounded-command.ts';
import { findLeanFiles, type LeanFile } from '../shared/lean-files.ts';
import { describeSetup, type LeanSetup, openLeanSetup } from '../shared/lean-setup.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { SECONDS_MAX } from '../shared/options.ts';
import { type CheckedFile, isNoted, linesOf, summaryLine, uncheckedFile } from './check-lines.ts';

export interface CheckCommand {
  readonly json?: boolean;
  /** Exit 1 also for facts that can deceive a reader. */
  readonly strict?: boolean;
  readonly sandbox: SandboxPolicy;
  /** Seconds of wall time for the whole command. */
  readonly timeout: number;
}

/** Returns the exit code. */
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
    // If no file can be read, the command does not search for Lean.
    judge = files.some(({ problem }) => problem === null) ? await openJudge(settings, options, signal) : null;
    const folders = new Map<string | null, CheckFolder>();
    for (const folder of new Set(files.map((file) => file.folder)))
      folders.set(folder, await openFolder(folder, files, judge, signal));
    for (const file of files) tell((await folders.get(file.folder)!.judge(file.path)).checked);
  } catch (error) {
    if (!(error instanceof StpError || error instanceof TimeIsUp)) throw error;
    for (const [index, { path, problem }] of files.slice(checked.length).entries())
      tell(uncheckedFile(path, problem ?? reasonOf(error, judge === null ? null : index === 0), judge?.sandbox.facts));
  } finally {
    await judge?.scratch.remove();
  }
  console.error(summaryLine(checked, judge === null ? '' : ` by ${describeSetup(judge)}`));
  return exitCode(checked, options.strict ?? false);
}

/** The Lean, the sandbox and the limits that all files of a call share. */
interface Judge extends LeanSetup {
  /** Processor time of one process, ms: large enough that the command's wall time always ends first. */
  readonly timeoutMs: number;
}

async function openJudge(settings: WorkerSettings, options: CheckCommand, signal: AbortSignal): Promise<Judge> {
  const setup = await openLeanSetup('check', settings, options.sandbox, signal);
  return { ...setup, timeoutMs: 1_000 * options.timeout * availableParallelism() };
}

/** A judged file, as its neighbours in the folder see it. */
interface JudgedFile extends Neighbour {
  readonly checked: CheckedFile;
}
type CheckFolder = FolderModules<JudgedFile>;

/** Opens the files of a folder, which may import one another; `folder` null: files that import none of the others. */
async function openFolder(
  folder: string | null,
  files: readonly LeanFile[],
  judge: Judge | null,
  signal: AbortSignal,
): Promise<CheckFolder> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const modules = folder === null || judge === null ? null : await openModules(judge, signal);
  const own = modules === null ? [] : files.filter((file) => file.folder === folder && file.problem === null);
  const named = own.map(({ path }) => ({
    path,
    module: relative(folder!, path)
      .replace(/\.lean$/u, '')
      .split(sep),
  }));
  return FolderModules.open(named, modules?.taken ?? [], (path, neighbours) =>
    checkOne(byPath.get(path)!, judge, neighbours, modules?.folder ?? null, signal),
  );
}

/** Returns the folder for a folder's modules, and the folders of installed modules. */
async function openModules(judge: Judge, signal: AbortSignal) {
  const { environment, sandbox, scratch } = judge;
  const modules = join(scratch.directory, `neighbours-${randomBytes(8).toString('hex')}`);
  await mkdir(modules, { recursive: true });
  const processContext = { environment, workingDirectory: scratch.directory, runMark: scratch.runMark, sandbox };
  const toolchain = await toolchainFolder({ processContext, signal, memoryBytesMax: TOOLCHAIN_BYTES_MAX });
  return { folder: modules, taken: [...environment.searchPath, ...(toolchain === null ? [] : [toolchain])] };
}

/** Memory limit for asking Lean for the path of its library, bytes. */
const TOOLCHAIN_BYTES_MAX = 1_073_741_824;

/**
 * `modules`: the folder with the neighbours' modules; null if there are no neighbours. Rejects with the signal's
 * reason.
 */
async function checkOne(
  { path, problem }: LeanFile,
  judge: Judge | null,
  { module, hasNeighbours, isImported, ...neighbours }: Neighbours,
  modules: string | null,
  signal: AbortSignal,
): Promise<JudgedFile> {
  const given = problem ?? neighbours.problem;
  if (judge === null || given !== null) {
    const checked = uncheckedFile(path, given ?? '', judge?.sandbox.facts);
    return { checked, outcome: 'unchecked', isOffered: false, isNoted: false };
  }
  signal.throwIfAborted();
  const { environment, sandbox, scratch, timeoutMs } = judge;
  const offerAs = modules === null || module === null ? null : modulePath(modules, module);
  const report = await checkFile(path, environment, {
    scratchDirectory: scratch.directory,
    runMark: scratch.runMark,
    sandbox,
    signal,
    timeoutMs,
    indexFolder: judge.indexFolder,
    sparesOthers: true,
    ...(offerAs === null ? {} : { offerAs }),
    ...(hasNeighbours ? { neighboursFolder: modules! } : {}),
  });
  const { examples = [], others: declarations = [], checks, isOffered = false } = report;
  const theorems = [...report.theorems, ...examples].sort((a, b) => a.line - b.line || a.column - b.column);
  // If the signal stopped this check, report the signal's reason instead.
  if (report.outcome === 'unchecked') signal.throwIfAborted();
  const notes = [...neighbours.notes, ...(report.notes ?? [])];
  // A file that only has definitions serves the files that import it.
  const isSupport = isOffered && isImported && report.outcome === 'unchecked' && theorems.length === 0;
  const { outcome, reason } = isSupport ? { outcome: 'accepted' as const, reason: '' } : report;
  const checked = { file: path, outcome, reason, theorems, declarations, notes, checks, sandbox: report.sandbox };
  return { checked, outcome, isOffered, isNoted: isNoted(checked) };
}

/** Returns why a file was given up. `wasBegun`: null if Lean was not ready. */
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
