/**
 * One model server as a local process: started on a checkpoint, ready when its health check passes, ended with all its
 * children. Its log file has a limited size.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import { CappedLog } from '../../process/capped-log.ts';
import { type Exit, ProcessGroup } from '../../process/process-group.ts';
import { SERVER_HOST, type ServedCheckpoint, type ServerProgram, type ServerTask } from './program.ts';

/** Time between two health checks. */
const POLL_MS = 250;
/** A healthy server answers at once, even under load. */
const HEALTH_TIMEOUT_MS = 10_000;
const MILLISECONDS = 1_000;

export interface LocalServerOptions {
  readonly program: ServerProgram;
  readonly logPath: string;
  readonly runMark?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class LocalServer {
  readonly checkpoint: ServedCheckpoint;
  readonly task: ServerTask;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly #program: ServerProgram;
  readonly #group: ProcessGroup;
  readonly #log: CappedLog;
  readonly #workDirectory: string;
  #exit: Exit | null = null;
  #ended = false;

  private constructor(
    checkpoint: ServedCheckpoint,
    task: ServerTask,
    origin: string,
    program: ServerProgram,
    group: ProcessGroup,
    log: CappedLog,
    workDirectory: string,
  ) {
    this.checkpoint = checkpoint;
    this.task = task;
    this.origin = origin;
    this.#program = program;
    this.#group = group;
    this.#log = log;
    this.#workDirectory = workDirectory;
    if (!program.endsWithInput) group.child.stdin!.end();
    log.take(group.child.stdout!);
    log.take(group.child.stderr!);
    void group.exited.then((exit) => {
      this.#exit = exit;
    });
  }

  /**
   * Resolves when the server is ready. Throws STP1301 if it exits before that (with the end of its log), takes longer
   * than the engine allows, or if another program listens on its port.
   */
  static async start(
    checkpoint: ServedCheckpoint,
    task: ServerTask,
    options: LocalServerOptions,
  ): Promise<LocalServer> {
    const { program, runMark, signal } = options;
    const origin = `http://${SERVER_HOST}:${program.engine.port}`;
    if (await isWell(origin, signal))
      throw new StpError(
        'STP1301',
        `another server already uses ${origin}`,
        'End it, or set engines.generator.port to a port that is free on every node.',
      );
    const log = new CappedLog(options.logPath);
    await mkdir(dirname(options.logPath), { recursive: true });
    const workDirectory = await mkdtemp(`${options.logPath}-`);
    let server: LocalServer | null = null;
    try {
      const group = await ProcessGroup.start(program.command(checkpoint, task, workDirectory), {
        runMark,
        ...(program.endsWithInput && { environment: { STP_ENDS_WITH_STDIN: '1', PYTHONDONTWRITEBYTECODE: '1' } }),
      });
      server = new LocalServer(checkpoint, task, origin, program, group, log, workDirectory);
      await server.#untilWell(program.engine.startTimeoutSeconds * MILLISECONDS, signal);
      return server;
    } catch (error) {
      await (server === null ? log.close() : server.end());
      await rm(workDirectory, { recursive: true, force: true });
      throw error;
    }
  }

  get pid(): number {
    return this.#group.pid;
  }

  get logPath(): string {
    return this.#log.path;
  }

  /** Why the server no longer serves; null while its process runs. */
  get failure(): StpError | null {
    return this.#exit === null || this.#ended ? null : this.#exitError(this.#exit, 'ended');
  }

  /** The error for a running process whose health check fails. */
  get unwell(): StpError {
    return new StpError(
      'STP1301',
      `${this.#program.name} is not well any more${this.#lastWords()}`,
      this.#program.advice,
      { retryable: true, facts: { log: this.#log.path } },
    );
  }

  isWell(signal?: AbortSignal): Promise<boolean> {
    return this.#exit === null ? isWell(this.origin, signal) : Promise.resolve(false);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#group.end();
    await this.#log.close();
    await rm(this.#workDirectory, { recursive: true, force: true });
  }

  async #untilWell(limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline) {
      signal?.throwIfAborted();
      if (this.#exit !== null) throw this.#exitError(this.#exit, 'ended before it served');
      if (await isWell(this.origin, signal)) return;
      await sleep(POLL_MS);
    }
    throw new StpError(
      'STP1301',
      `${this.#program.name} did not serve within ${limitMs / MILLISECONDS} s${this.#lastWords()}`,
      'Raise engines.generator.startTimeoutSeconds where the model is large and the disk slow; else look into its log.',
      { retryable: true, facts: { log: this.#log.path } },
    );
  }

  #exitError({ code, signal }: Exit, what: string): StpError {
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    return new StpError('STP1301', `${this.#program.name} ${what} (${how})${this.#lastWords()}`, this.#program.advice, {
      retryable: true,
      facts: { code, signal, log: this.#log.path },
    });
  }

  #lastWords(): string {
    const last = this.#log.tail.trim().split('\n').at(-1) ?? '';
    return last === '' ? '' : `: ${last.slice(0, 300)}`;
  }
}

async function isWell(origin: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const signals = [AbortSignal.timeout(HEALTH_TIMEOUT_MS), ...(signal === undefined ? [] : [signal])];
    const response = await fetch(new URL('/health', origin), { signal: AbortSignal.any(signals) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
