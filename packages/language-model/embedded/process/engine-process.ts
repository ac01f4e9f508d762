/**
 * The parent's side of an engine process: starts it, sends messages, and turns every end (crash, out of memory, killed,
 * silent for too long) into one typed error. The process has its own heap and event loop, and exits when its parent
 * dies. The caller defines the messages.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { StpError } from '@stp/base';
import { RUN_MARK } from '@stp/base/files';
import { errorOf, type Failure } from './failure.ts';

/** V8 heap limit of an engine, MiB. Weights, caches and token ids are typed arrays, which do not count. */
const HEAP_MIB_MAX = 1_024;
/** Maximum silence of a busy engine that samples or embeds: its steps take seconds even on a loaded laptop. */
const SILENCE_LIMIT_MS = 300_000;
/** How much of the end of standard error is kept for messages, characters. */
const STDERR_TAIL_CHARS = 2_000;

/** Sent by an engine that cannot continue. */
export interface FailedMessage {
  readonly type: 'failed';
  readonly failure: Failure;
}

export interface EngineProcessOptions<Message> {
  /** The module that the process runs. */
  readonly entry: URL;
  /** The run that the process belongs to, for clean-up (`packages/base/run-mark.ts`). */
  readonly runMark?: string | undefined;
  /** Environment variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly silenceLimitMs?: number | undefined;
  readonly onMessage: (message: Message) => void;
  /** Called once if the process ends or is given up, but not after `end()`. */
  readonly onFailure: (error: StpError) => void;
}

export class EngineProcess<Request extends object, Message extends { readonly type: string }> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #options: EngineProcessOptions<Message>;
  #stderrTail = '';
  #silence: NodeJS.Timeout | null = null;
  #busy = false;
  #over = false;

  constructor(options: EngineProcessOptions<Message>) {
    this.#options = options;
    const mark = options.runMark === undefined ? {} : { [RUN_MARK]: options.runMark };
    this.#child = fork(options.entry, {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${HEAP_MIB_MAX}`],
      env: { ...process.env, ...options.environment, ...mark },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        resolve();
        this.#fail(this.#exitError(code, signal));
      });
      this.#child.once('error', (cause) => {
        if (this.#child.pid === undefined) resolve();
        this.#fail(engineError(`could not be started: ${cause.message}`, { pid: this.#child.pid }, cause));
      });
    });
    this.#child.on('message', (message) => this.#receive(message as Message | FailedMessage));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_TAIL_CHARS);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(request: Request): void {
    // Sending to a dead process fails. `onFailure` reports its exit, so the callback ignores the error.
    if (!this.#over) this.#child.send(request, () => undefined);
  }

  /** Says whether messages are expected. Silence is a failure only then. */
  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#restartSilence();
  }

  /** Kills the process and waits until it has ended. */
  async end(): Promise<void> {
    this.#stop();
    await this.#exited;
  }

  #receive(message: Message | FailedMessage): void {
    if (this.#over) return;
    if (isFailed(message)) {
      this.#fail(errorOf(message.failure));
      return;
    }
    this.#restartSilence();
    this.#options.onMessage(message);
  }

  #restartSilence(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = null;
    if (!this.#busy || this.#over) return;
    const limitMs = this.#options.silenceLimitMs ?? SILENCE_LIMIT_MS;
    this.#silence = setTimeout(() => {
      this.#fail(engineError(`gave no sign of progress for ${limitMs} ms and was ended`, { pid: this.pid, limitMs }));
    }, limitMs);
  }

  #fail(error: StpError): void {
    if (this.#over) return;
    this.#stop();
    this.#options.onFailure(error);
  }

  #stop(): void {
    this.#over = true;
    this.setBusy(false);
    this.#child.kill('SIGKILL');
  }

  #exitError(code: number | null, signal: NodeJS.Signals | null): StpError {
    const facts = { pid: this.pid, code, signal, stderr: this.#stderrTail };
    if (/out of memory/i.test(this.#stderrTail)) return engineError('ran out of memory', facts);
    if (signal === 'SIGKILL')
      return engineError('was killed (by a person, or by the system for want of memory)', facts);
    if (signal !== null) return engineError(`was ended by ${signal}`, facts);
    return engineError(`ended with exit code ${code}`, facts);
  }
}

function isFailed(message: { readonly type: string }): message is FailedMessage {
  return message.type === 'failed';
}

function engineError(problem: string, facts: Record<string, unknown>, cause?: unknown): StpError {
  const advice =
    'It is started anew on the next try. If this repeats, give the machine more memory or the engine fewer threads.';
  return new StpError('STP1301', `model engine process ${facts.pid ?? ''} ${problem}`, advice, {
    retryable: true,
    facts,
    cause,
  });
}
