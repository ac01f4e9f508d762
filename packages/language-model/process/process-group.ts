/**
 * Runs an external program in its own process group, so that it can be ended with all its children. Its standard input
 * is a pipe that closes when this process ends for any reason.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { RUN_MARK } from '@stp/base/files';

/** Time between SIGTERM and SIGKILL. Servers have nothing worth waiting for longer; trainers have saved their state. */
const GRACE_MS = 5_000;
const POLL_MS = 20;
/** Time for reading the remaining output of ended processes. */
const DRAIN_MS = 2_000;

export interface ProcessGroupOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** The run that the process belongs to, for clean-up (`packages/base/run-mark.ts`). */
  readonly runMark?: string | undefined;
  readonly graceMs?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Environment variables that every command inherits: paths and behaviour, but no keys or tokens. The caller names any
 * further variables.
 */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|SSL_CERT_\w+|CUDA_\w+|NVIDIA_\w+|NCCL_\w+|GLOO_\w+|TPU_\w+|JAX_\w+|XLA_\w+|HF_HOME|HF_HUB_OFFLINE|TRANSFORMERS_OFFLINE|OMP_NUM_THREADS|GCE_METADATA_\w+|STP_STORE|STP_CACHE|STP_SCRATCH|STP_DATA|STP_GCS_ENDPOINT|GOOGLE_CLOUD_PROJECT)$/;

export function passedOn(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => PASSED_ON.test(entry[0])),
  );
}

export class ProcessGroup {
  readonly child: ChildProcess;
  /** Resolves when the first process of the group has ended, even if its children still run. */
  readonly exited: Promise<Exit>;
  /** Resolves when all writers of its outputs have closed them, and all output has been read. */
  readonly #drained: Promise<void>;
  readonly #graceMs: number;

  private constructor(child: ChildProcess, graceMs: number) {
    this.child = child;
    this.#graceMs = graceMs;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#drained = new Promise((resolve) => child.once('close', () => resolve()));
  }

  /** Starts the command. Throws STP1301 if it does not exist. */
  static async start(command: readonly string[], options: ProcessGroupOptions = {}): Promise<ProcessGroup> {
    const [program = '', ...args] = command;
    const { environment, directory, runMark, graceMs = GRACE_MS } = options;
    const mark = runMark === undefined ? {} : { [RUN_MARK]: runMark };
    const child = spawn(program, args, {
      ...(directory !== undefined && { cwd: directory }),
      env: { ...passedOn(process.env), ...environment, ...mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // A process that does not read its input closes the pipe; that is not an error.
    child.stdin!.on('error', () => undefined);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause: NodeJS.ErrnoException) => {
        const advice = 'Set the command in `engines` of the configuration, or install it on the node.';
        reject(new StpError('STP1301', `${program} could not be started: ${cause.message}`, advice, { cause }));
      });
    });
    child.on('error', () => undefined);
    return new ProcessGroup(child, graceMs);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Ends the group: asks it to stop, and kills it after the grace period. Waits until all its processes have ended. */
  async end(): Promise<void> {
    this.#signal('SIGTERM');
    const deadline = performance.now() + this.#graceMs;
    while (this.#isAlive() && performance.now() < deadline) await sleep(POLL_MS);
    this.#signal('SIGKILL');
    await this.exited;
    // A process that has left the group may keep the outputs open for ever.
    await Promise.race([this.#drained, sleep(DRAIN_MS, undefined, { ref: false })]);
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.child.stdin?.destroy();
  }

  #isAlive(): boolean {
    return this.#signal(0);
  }

  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.pid, signal);
    } catch {
      // The group has no process left.
      return false;
    }
  }
}
