/**
 * Starts Lean for checks; nothing else in `lean/verdict` and above may. Each process is a process group of its own with a
 * cleared environment, a deadline, a watch on its memory and a bound on its output, and is gone when the call returns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { RUN_MARK } from '../../data/run-mark.ts';
import type { LeanMessage } from '../../data/schemas/records.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { lineBufferingPrefix } from './line-buffering.ts';
import { type MessageEnd, readMessages } from './message.ts';
import { readResources } from './resources.ts';

/** How often memory and processor time are looked at. Lean allocates at most some gigabytes a second. */
const SAMPLE_MS = 100;
/**
 * Deadlines are in processor time, so that a busy machine does not turn a slow check into a timeout. A process that waits
 * instead of working is ended after this many times the deadline.
 */
const WALL_FACTOR = 10;
const STDERR_CHARS_KEPT = 2_048;
/** What a launcher script, an elan shim and the dynamic loader need. Everything else stays out of Lean's reach. */
const ENVIRONMENT_KEPT = ['PATH', 'HOME', 'ELAN_HOME', 'ELAN_TOOLCHAIN', 'LANG', 'LC_ALL', 'TMPDIR', 'LD_LIBRARY_PATH'];

export interface LeanRun {
  readonly environment: LeanEnvironment;
  /** After `lean --json`. */
  readonly arguments: readonly string[];
  /** Source for `--stdin`, or null to give none. */
  readonly input: string | null;
  readonly workingDirectory: string;
  /** Processor time until the first deadline; `onMessage` may set a later one. Ten times that in wall time. */
  readonly deadlineMs: number;
  readonly memoryBytesMax: number;
  readonly runMark?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `allow(ms)` moves the deadline to that much processor time from now. */
  readonly onMessage: (message: LeanMessage, allow: (ms: number) => void, end: MessageEnd | null) => void;
}

export interface LeanExit {
  /**
   * `finished`: Lean ended by itself with exit code 0 or 1. `deadline`, `memory`, `output`: ended by us for that reason.
   * `crashed`: ended by a signal or another exit code. `not-started`: could not be started at all.
   */
  readonly how: 'finished' | 'deadline' | 'memory' | 'output' | 'crashed' | 'not-started';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** End of what it wrote to its standard error, for people. */
  readonly stderr: string;
}

/** Resolves when the process group is gone. Rejects only with the abort signal's reason. */
export async function runLean(run: LeanRun): Promise<LeanExit> {
  run.signal?.throwIfAborted();
  let child: ChildProcess;
  try {
    child = start(run);
  } catch (error) {
    return { how: 'not-started', code: null, signal: null, stderr: String(error) };
  }
  return watch(child, run);
}

function start(run: LeanRun): ChildProcess {
  const kept = ENVIRONMENT_KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const { executable, searchPath } = run.environment;
  const [command, ...before] = [...lineBufferingPrefix(), executable];
  return spawn(command!, [...before, '--json', ...run.arguments], {
    cwd: run.workingDirectory,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(kept),
      ...(searchPath.length > 0 ? { LEAN_PATH: searchPath.join(delimiter) } : {}),
      ...(run.runMark === undefined ? {} : { [RUN_MARK]: run.runMark }),
    },
  });
}

function watch(child: ChildProcess, run: LeanRun): Promise<LeanExit> {
  return new Promise((resolve, reject) => {
    let ended: LeanExit['how'] | null = null;
    let stderr = '';
    const end = (how: LeanExit['how']): void => {
      ended ??= how;
      killGroup(child);
    };
    let used = { residentBytes: 0, cpuMs: 0 };
    let deadline = { cpuMs: 0, wallMs: 0 };
    const allow = (ms: number): void => {
      deadline = { cpuMs: used.cpuMs + ms, wallMs: performance.now() + ms * WALL_FACTOR };
    };
    allow(run.deadlineMs);
    const sampling = setInterval(async () => {
      used = (await readResources(child.pid ?? 0)) ?? used;
      if (used.residentBytes > run.memoryBytesMax) end('memory');
      if (used.cpuMs > deadline.cpuMs || performance.now() > deadline.wallMs) end('deadline');
    }, SAMPLE_MS);
    const onAbort = (): void => killGroup(child);
    run.signal?.addEventListener('abort', onAbort);

    const reader = readMessages((message, end) => run.onMessage(message, allow, end));
    child.stdout!.on('data', (chunk: Buffer) => {
      if (!reader.push(chunk)) end('output');
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_CHARS_KEPT);
    });
    // A process that ends before it has read its input closes the pipe: its exit tells the story.
    child.stdin!.on('error', () => {});
    child.stdin!.end(run.input ?? '');

    let startFailure: Error | null = null;
    child.on('error', (error) => {
      startFailure ??= error;
    });
    // What it started may hold its output open: that goes with it.
    child.on('exit', () => killGroup(child));
    child.on('close', (code, signal) => {
      clearInterval(sampling);
      run.signal?.removeEventListener('abort', onAbort);
      if (run.signal?.aborted) return reject(run.signal.reason as Error);
      if (startFailure !== null) stderr = startFailure.message;
      resolve({ how: startFailure === null ? (ended ?? howEnded(code)) : 'not-started', code, signal, stderr });
    });
  });
}

/** 126 and 127 are what `stdbuf` and a launcher script end with where the program cannot be run. */
function howEnded(code: number | null): LeanExit['how'] {
  if (code === 0 || code === 1) return 'finished';
  return code === 126 || code === 127 ? 'not-started' : 'crashed';
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
