/**
 * Compiles a text to a module in a separate Lean process in the sandbox and in a separate folder. A folder with any
 * file besides the module is refused: only a program that ran during compilation makes other files.
 */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanMessage } from '@stp/config/records';
import { readHeader } from '@stp/lean-text';
import { commandOptions } from '../../runtime/process/command-options.ts';
import { refuseFullDisk } from '../../runtime/process/full-disk.ts';
import { readLean } from '../../runtime/process/its-own-end.ts';
import type { LeanRun } from '../../runtime/process/lean-process.ts';
import { type HeaderSnapshot, type ObjectRun, objectOptions, objectPath } from '../../runtime/process/object-run.ts';
import type { ReadyProcess, ReadyProcesses } from '../../runtime/process/ready-processes.ts';
import type { LeanExit, ProcessContext } from '../../runtime/process/spawn.ts';

/**
 * Suffixes that Lean's module system appends to a compiled module's file name. A module always has the first, and may
 * have the others.
 */
export const MODULE_PARTS: readonly string[] = ['', '.server', '.private'];

export interface CompileTask {
  readonly processContext: ProcessContext;
  /** Name of the module: a single identifier. */
  readonly module: string;
  readonly text: string;
  /** Folder that is created, and contains `<module>.lean` and `<module>.olean` afterwards. The caller removes it. */
  readonly directory: string;
  /** Processor time limit of the process, ms. The wall-time limit is ten times that. */
  readonly deadlineMs: number;
  readonly memoryBytesMax: number;
  /**
   * Compile one declaration after another on one core, which takes a fifth less processor time. Later declarations
   * share what Lean makes for earlier ones, such as a theorem about a function's cases.
   */
  readonly inOrder?: boolean;
  /** Other modules import it, so its private names must contain its own name. */
  readonly isImported?: boolean;
  /** Lean's state after the text's imports. Null or missing: Lean imports them. */
  readonly snapshot?: HeaderSnapshot | null;
  /** Processes started in advance, used for texts that are neither `inOrder` nor `isImported`. */
  readonly ready?: ReadyProcesses | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CompiledModule {
  /** Path of the module. Null if the text has errors, or if Lean did not finish (`failure` says why). */
  readonly path: string | null;
  readonly failure: string;
  readonly exit: LeanExit['how'];
  readonly messages: readonly LeanMessage[];
  readonly peakResidentBytes: number;
  readonly ms: number;
}

/** Rejects only with the signal's reason, or if the folder cannot be written (with ENOSPC if its disk is full). */
export async function compileModule(task: CompileTask): Promise<CompiledModule> {
  const isPlain = !task.inOrder && !task.isImported && !readHeader(task.text).isModule;
  const ready = isPlain ? (task.ready?.take(task.snapshot) ?? null) : null;
  if (ready === null) return compile(task, null);
  try {
    const made = await compile(task, ready);
    // A process that ended while it waited says nothing about the text.
    if (made.exit !== 'crashed' && made.exit !== 'not-started') return made;
  } finally {
    await ready.remove();
  }
  return compile(task, null);
}

/** @param ready is tried first; if that Lean was killed, which says nothing about the text, a new process is started */
async function compile(task: CompileTask, ready: ReadyProcess | null): Promise<CompiledModule> {
  const { processContext, module, text, directory } = task;
  const startedMs = performance.now();
  const source = join(directory, `${module}.lean`);
  const written = objectOptions(task);
  let next = ready;
  let object: Pick<ObjectRun, 'directory' | 'module'> = task;
  /** Recreates the folder, because a Lean that was killed may have left files in it. */
  const layOut = async (): Promise<Pick<LeanRun, 'process' | 'input'> | undefined> => {
    await rm(directory, { recursive: true, force: true });
    // A program in the sandbox may write a file here; other users must not run it.
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(source, text);
    const waiting = next;
    next = null;
    object = waiting ?? task;
    return waiting === null ? undefined : { process: waiting.process, input: text };
  };
  const run = {
    ...processContext,
    arguments: [
      ...(task.inOrder ? await commandOptions(processContext) : []),
      ...(task.isImported ? [`--root=${directory}`] : []),
      ...written.arguments,
      source,
    ],
    input: null,
    workingDirectory: directory,
    deadlineMs: task.deadlineMs,
    memoryBytesMax: task.memoryBytesMax,
    writable: written.writable,
    readOnly: written.readOnly,
    signal: task.signal,
  };
  const exit = await readLean(run, layOut);
  const { messages, peakResidentBytes, how } = exit;
  const done = { exit: how, messages, peakResidentBytes, ms: performance.now() - startedMs };
  if (how !== 'finished') return { ...done, path: null, failure: explain(exit) };
  if (messages.some(({ severity }) => severity === 'error')) return { ...done, path: null, failure: '' };
  if (exit.code !== 0) {
    // Lean gives a position for every error in a text. Without one, either Lean could not write or a program ended it.
    await refuseFullDisk(object.directory);
    return { ...done, exit: 'crashed', path: null, failure: explain({ ...exit, how: 'crashed' }) };
  }
  const failure = await foreignFile(object.directory, object.module, readHeader(text).isModule);
  if (failure !== '') return { ...done, path: null, failure };
  const path = objectPath(task);
  if (object !== task) await rename(objectPath(object), path);
  return { ...done, path, failure };
}

/** Returns the name of a file that does not belong to the module, or empty. A link would make us read its target. */
export async function foreignFile(directory: string, module: string, isModule: boolean): Promise<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  const parts = isModule ? MODULE_PARTS : [''];
  const own = new Set([`${module}.lean`, ...parts.map((part) => `${module}.olean${part}`)]);
  const foreign = entries.find((entry) => !own.has(entry.name) || !entry.isFile());
  if (foreign !== undefined) return `the file made more than its module while it was compiled: ${foreign.name}`;
  return entries.some(({ name }) => name === `${module}.olean`) ? '' : 'Lean left no compiled module';
}

function explain(exit: LeanExit): string {
  const reasons: Record<LeanExit['how'], string> = {
    finished: '',
    deadline: 'Lean did not end within the time limit',
    memory: 'Lean needed more memory than the limit',
    output: 'Lean printed more than is read',
    crashed: `Lean ended by ${exit.signal ?? `exit code ${exit.code}`}`,
    'not-started': 'Lean could not be started',
  };
  return `${reasons[exit.how]} ${exit.stderr.trim().slice(-400)}`.trim();
}
