/**
 * Starts Lean. No other file of the Lean packages may start it, except the set-up when it queries a toolchain. Each
 * process leads a process group, gets a cleared environment with the run mark, runs in the given sandbox, and ends when
 * this process ends. A control group limits it if this machine allows one. Its standard error is always drained.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { RUN_MARK } from '@stp/base/files';
import type { LeanEnvironment } from '../../verifier.ts';
import { leanAccess } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type ControlGroup, openControlGroup } from './cgroup.ts';
import { lineBufferingPrefix } from './line-buffering.ts';
import { lifelinePrefix, parentDeathPrefix } from './parent-death.ts';

const STDERR_CHARS_KEPT = 2_048;
/**
 * Maximum bytes that the process may write in one run, including standard error. A batch of 200 hopeless candidates
 * writes some hundred kilobytes.
 */
const OUTPUT_BYTES_MAX = 67_108_864;
/**
 * A process that has ended may leave its output open in another process. The output is abandoned after this long
 * without new data.
 */
const HELD_OUTPUT_MS = 1_000;
/** Variables that a launcher script, an elan shim and the dynamic loader need. All others are removed. */
const ENVIRONMENT_KEPT = ['PATH', 'HOME', 'ELAN_HOME', 'ELAN_TOOLCHAIN', 'LANG', 'LC_ALL', 'TMPDIR', 'LD_LIBRARY_PATH'];

/**
 * The Lean to start and the surroundings of its processes, which are the same for all processes of a run on one
 * machine.
 */
export interface ProcessContext {
  readonly environment: LeanEnvironment;
  readonly workingDirectory: string;
  readonly runMark?: string | undefined;
  /** Missing: Lean runs with all rights of this user, which is for our own text only. */
  readonly sandbox?: Sandbox | undefined;
}

export interface StartOptions extends ProcessContext {
  /** Absolute path of a program to run instead of the environment's `lean`, such as a checker. */
  readonly program?: string | undefined;
  readonly arguments: readonly string[];
  /** Environment variables in addition to those of every Lean process. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Paths that the process may read in addition to its working directory and the environment's folders. */
  readonly readOnly?: readonly string[] | undefined;
  /** Folders that the process may write to, in addition to those that the sandbox always allows. */
  readonly writable?: readonly string[] | undefined;
  /** Limit of the control group, bytes. The watch ends the process at the same size if it notices in time. */
  readonly memoryBytesMax: number;
}

export interface LeanExit {
  /**
   * `finished`: Lean ended by itself with exit code 0 or 1. `deadline`, `memory`, `output`: we ended it for that
   * reason, or the kernel did for memory. `crashed`: it ended by a signal or with another exit code. `not-started`: it
   * could not be started.
   */
  readonly how: 'finished' | 'deadline' | 'memory' | 'output' | 'crashed' | 'not-started';
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of standard error, for people to read. */
  readonly stderr: string;
}

export interface LeanProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /**
   * Resolves when the process and its group are gone, as well as other processes that hold its output, if they can be
   * reached. Never rejects.
   */
  readonly ended: Promise<LeanExit>;
  /**
   * Ends the process group; the first given reason counts. `crashed` is for a process that can no longer be used, and
   * `said` gives the cause. Then the exit has no signal, because none came from outside.
   */
  end(how: LeanExit['how'], said?: string): void;
  /** Begins a run: resets the count of written bytes and sets the limit of the control group. */
  beginRun(memoryBytesMax: number): void;
}

/** Returns the process, or the reason why it could not be started. */
export function startLean(options: StartOptions): LeanProcess | LeanExit {
  const { environment, workingDirectory, runMark, sandbox } = options;
  const program = options.program ?? environment.executable;
  const command = [...lineBufferingPrefix(), program, ...options.arguments];
  const lean = leanAccess(environment, workingDirectory, options.writable);
  const own = program === environment.executable ? [] : [dirname(program)];
  const access = { ...lean, readOnly: [...lean.readOnly, ...own, ...(options.readOnly ?? [])] };
  const group = openControlGroup(runMark ?? 'unnamed', options.memoryBytesMax);
  let child: ChildProcess;
  try {
    const isWalled = sandbox !== undefined && sandbox.facts.kind !== 'none';
    const bound = isWalled
      ? sandbox.wrap([...lifelinePrefix(), ...command], access)
      : [...parentDeathPrefix(), ...(sandbox?.wrap(command, access) ?? command)];
    const [first, ...rest] = group === null ? bound : group.enter(bound);
    child = spawn(first!, rest, {
      cwd: workingDirectory,
      detached: true,
      stdio: isWalled ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
      env: { ...cleared(environment.searchPath, runMark), ...options.variables },
    });
  } catch (error) {
    void group?.remove();
    return notStarted(error as Error);
  }
  return follow(child, group, sandbox);
}

function cleared(searchPath: readonly string[], runMark: string | undefined): NodeJS.ProcessEnv {
  const kept = ENVIRONMENT_KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return {
    ...Object.fromEntries(kept),
    ...(searchPath.length > 0 ? { LEAN_PATH: searchPath.join(delimiter) } : {}),
    ...(runMark === undefined ? {} : { [RUN_MARK]: runMark }),
  };
}

function follow(child: ChildProcess, group: ControlGroup | null, sandbox: Sandbox | undefined): LeanProcess {
  let reason: LeanExit['how'] | null = null;
  let stderr = '';
  let startFailure: Error | null = null;
  let outputBytes = 0;
  let hasSpoken = false;
  let hasEnded = false;
  let drained: NodeJS.Timeout | undefined;
  const end = (how: LeanExit['how'], said = ''): void => {
    if (reason === null) stderr += said;
    reason ??= how;
    // Once the process has ended, its id may belong to another process.
    if (!hasEnded) killGroup(child);
    group?.kill();
  };
  const count = (chunk: Buffer): void => {
    outputBytes += chunk.length;
    if (outputBytes > OUTPUT_BYTES_MAX) end('output');
  };
  child.stdout!.on('data', (chunk: Buffer) => {
    hasSpoken = true;
    count(chunk);
  });
  child.stderr!.on('data', (chunk: Buffer) => {
    count(chunk);
    stderr = (stderr + chunk.subarray(-STDERR_CHARS_KEPT).toString('utf8')).slice(-STDERR_CHARS_KEPT);
  });
  /**
   * Abandons the output of a process that has ended, once no data has arrived for a while and none waits to be read.
   */
  const releaseOutput = (): void => {
    const readBytes = outputBytes;
    const lookAgain = (): void => {
      if (outputBytes !== readBytes) releaseOutput();
      else for (const output of [child.stdout!, child.stderr!]) output.destroy();
    };
    // `setImmediate` lets pending data be read first: this program itself may have been busy all the time.
    drained = setTimeout(() => setImmediate(lookAgain), HELD_OUTPUT_MS);
  };
  // A process that ends before it has read its input closes the pipe. Its exit reports the cause.
  child.stdin!.on('error', () => {});
  const lifeline = child.stdio[3];
  lifeline?.on('error', () => {});
  child.on('error', (error) => {
    startFailure ??= error;
  });
  // Descendants may hold the output open. Those in the group are killed; those that left it are not waited for.
  child.on('exit', () => {
    hasEnded = true;
    killGroup(child);
    group?.kill();
    lifeline?.destroy();
    releaseOutput();
  });
  const ended = new Promise<LeanExit>((resolve) => {
    child.on('close', async (code, signal) => {
      clearTimeout(drained);
      const outOfMemory = group?.outOfMemory() ?? false;
      // Descendants that do not hold the output may need a moment longer to end.
      await group?.remove();
      if (startFailure !== null) return resolve(notStarted(startFailure));
      // A process that has written to its standard output was started, even if `spawn` reports an error later.
      const unwalled = !hasSpoken && (sandbox?.failedToStart({ code, stderr }) ?? false);
      const byItself = howEnded(code, { outOfMemory, unwalled, hasSpoken });
      // A process that never started may have been ended for a pipe that nobody reads.
      const how = byItself === 'not-started' ? byItself : (reason ?? byItself);
      resolve({ how, code, signal: reason === 'crashed' ? null : signal, stderr });
    });
  });
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin!,
    stdout: child.stdout!,
    ended,
    end,
    beginRun(memoryBytesMax) {
      outputBytes = 0;
      group?.setMemoryBytesMax(memoryBytesMax);
    },
  };
}

function notStarted(error: Error): LeanExit {
  return { how: 'not-started', code: null, signal: null, stderr: error.message };
}

/** `stdbuf` and a launcher script exit with 126 or 127 if they cannot run the program. */
function howEnded(
  code: number | null,
  { outOfMemory, unwalled, hasSpoken }: { outOfMemory: boolean; unwalled: boolean; hasSpoken: boolean },
): LeanExit['how'] {
  if (unwalled) return 'not-started';
  if (outOfMemory && code !== 0 && code !== 1) return 'memory';
  if (code === 0 || code === 1) return 'finished';
  return !hasSpoken && (code === 126 || code === 127) ? 'not-started' : 'crashed';
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
