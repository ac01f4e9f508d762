/** One Lean server worker that holds one text under one header, and what it says about the text. */
import type { LeanMessage } from '@stp/config/records';
import { type LeanExit, type ServerWorker, treeResources, watchRun } from '@stp/lean-verifier';
import { readGoals, referencesIn } from './goals.ts';
import type { Goal, StepOptions } from './step.ts';

/** Time for Lean to stop reading a text that took too long, ms; otherwise the process is ended. */
const RELEASE_MS = 1_000;
const GOALS_METHOD = 'Lean.Widget.getInteractiveGoals';
/** The exit for a text that Lean stopped reading. */
const RELEASED: LeanExit = { how: 'deadline', code: null, signal: null, stderr: '' };

export interface Ended {
  readonly kind: 'ended';
  readonly exit: LeanExit;
  readonly cpuMs: number;
}

export type Elaboration =
  | { readonly kind: 'read'; readonly messages: readonly LeanMessage[]; readonly cpuMs: number }
  | Ended;

export interface GoalsReading {
  /** Null if the server returns none. */
  readonly goals: readonly Goal[] | null;
  readonly cpuMs: number;
}

export class StepProcess {
  readonly header: string;
  readonly #worker: ServerWorker;
  readonly #memoryBytesMax: number;
  #body = '';
  /** Session of remote calls; null before the first call and after the server has dropped it. */
  #rpcSession: string | null = null;

  constructor(worker: ServerWorker, header: string, memoryBytesMax: number) {
    this.#worker = worker;
    this.header = header;
    this.#memoryBytesMax = memoryBytesMax;
  }

  /** The text below the header that Lean read last. */
  get body(): string {
    return this.#body;
  }

  /** Bytes of memory that the process holds; 0 if it has ended. */
  get residentBytes(): number {
    return treeResources(this.#worker.process.pid)?.residentBytes ?? 0;
  }

  get ended(): Promise<LeanExit> {
    return this.#worker.process.ended;
  }

  async end(): Promise<void> {
    this.#worker.process.end('crashed');
    await this.ended;
  }

  /**
   * Reads a text to its end under the limits, or ends the process. At the deadline the process returns to the text
   * `back` if it can.
   */
  async elaborate(body: string, options: StepOptions, back = body): Promise<Elaboration> {
    const late = Promise.withResolvers<'late'>();
    const onDeadline = (): void => {
      watch.allow(RELEASE_MS);
      late.resolve('late');
    };
    const watch = this.#watch({ ...options, onDeadline: back === body ? undefined : onDeadline });
    const messages: LeanMessage[] = [];
    const reading = this.#read(body, (message) => messages.push(message));
    const timer = options.wallMs === undefined ? undefined : setTimeout(onDeadline, options.wallMs);
    const finished = await Promise.race([reading, late.promise]);
    clearTimeout(timer);
    const isBack = finished === 'late' && (await this.#release(reading, back));
    const { cpuMs } = watch.stop();
    options.signal?.throwIfAborted();
    if (isBack) return { kind: 'ended', exit: RELEASED, cpuMs };
    if (finished !== true) return { kind: 'ended', exit: await this.ended, cpuMs };
    this.#body = body;
    return { kind: 'read', messages, cpuMs };
  }

  /**
   * Asks for the goals at a position of the text: a 1-based line, and a UTF-16 offset in it. If computing them ends the
   * process, that is the result.
   */
  async goalsAt(line: number, character: number, options: StepOptions): Promise<GoalsReading | Ended> {
    const watch = this.#watch(options);
    const goals = await this.#goalsOf(line, character);
    const { cpuMs } = watch.stop();
    options.signal?.throwIfAborted();
    const isGone = goals === null && treeResources(this.#worker.process.pid) === null;
    return isGone ? { kind: 'ended', exit: await this.ended, cpuMs } : { goals, cpuMs };
  }

  #watch(options: StepOptions & { readonly onDeadline?: (() => void) | undefined }) {
    return watchRun(this.#worker.process, { ...options, memoryBytesMax: this.#memoryBytesMax });
  }

  #read(body: string, onMessage: (message: LeanMessage) => void): Promise<boolean> {
    return this.#worker.elaborate(`${this.header}\n${body}`, onMessage);
  }

  /**
   * Replaces the document by the text `back`, which makes Lean stop its work, and waits until Lean has read it. Returns
   * true if the process can be used again; otherwise it has ended.
   */
  async #release(reading: Promise<boolean>, back: string): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, RELEASE_MS, false);
    const isRead = await Promise.race([this.#read(back, () => {}), late.promise]);
    const isBack = isRead && (await Promise.race([reading, late.promise]));
    clearTimeout(timer);
    this.#body = back;
    if (!isBack) this.#worker.process.end('deadline');
    return isBack;
  }

  /**
   * The server drops a session of remote calls that is unused for half a minute; then the request is repeated in a new
   * one.
   */
  async #goalsOf(line: number, character: number): Promise<readonly Goal[] | null> {
    try {
      return await this.#askGoals(line, character);
    } catch {
      this.#rpcSession = null;
      return this.#askGoals(line, character).catch(() => null);
    }
  }

  async #askGoals(line: number, character: number): Promise<readonly Goal[] | null> {
    const { uri } = this.#worker;
    const at = { textDocument: { uri }, position: { line: line - 1, character } };
    const session = this.#rpcSession ?? (await this.#connect());
    if (session === null) return null;
    const call = { ...at, sessionId: session, method: GOALS_METHOD, params: at };
    const interactive = await this.#worker.ask('$/lean/rpc/call', call);
    // The server keeps the objects in its answer, and whole environments with them, until they are released.
    this.#worker.tell('$/lean/rpc/release', { uri, sessionId: session, refs: referencesIn(interactive) });
    return readGoals(interactive, await this.#worker.ask('$/lean/plainGoal', at));
  }

  async #connect(): Promise<string | null> {
    const answer = await this.#worker.ask('$/lean/rpc/connect', { uri: this.#worker.uri });
    const session = (answer as { sessionId?: unknown } | null)?.sessionId;
    this.#rpcSession = typeof session === 'string' ? session : null;
    return this.#rpcSession;
  }
}
