/**
 * The process behind the steps: one server worker that reads one text at a time, in the order of requests. It starts on
 * demand under the required header, and is ended when a text exceeds a limit; the next text then starts a new one.
 */
import { StpError } from '@stp/base';
import type { LeanMessage } from '@stp/config/records';
import {
  HEADER_DEADLINE_MS,
  type LeanExit,
  type ProcessContext,
  type ServerWorker,
  startWorker,
  treeResources,
  watchRun,
} from '@stp/lean-verifier';
import { readGoals, referencesIn } from './goals.ts';
import type { Goal, StepOptions } from './step.ts';

/** A process that holds more than this share of its memory limit between two texts is replaced before the next. */
const RECYCLE_SHARE = 0.5;
/** Time for Lean to stop reading a text that took too long, ms; otherwise the process is ended. */
const RELEASE_MS = 1_000;
const GOALS_METHOD = 'Lean.Widget.getInteractiveGoals';

/** A text to read, and its prefix, which was read successfully before. */
export interface StepText {
  readonly header: string;
  readonly body: string;
  readonly prefix: string;
  /** Processor time of the prefix when it was first read, ms. */
  readonly prefixMs: number;
  /**
   * 1-based line at which to ask for goals, and the UTF-16 offset in it (default: the line's beginning). Null: do not
   * ask.
   */
  readonly goalLine: number | null;
  readonly goalCharacter?: number;
}

export type StepReading =
  | {
      readonly kind: 'read';
      readonly messages: readonly LeanMessage[];
      /** Null if the server returns none. */
      readonly goals: readonly Goal[] | null;
      readonly cpuMs: number;
      /** Processor time including what had to be read again, and the request for goals, ms. */
      readonly spentMs: number;
    }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'ended'; readonly exit: LeanExit; readonly spentMs: number };

export interface StepWorker {
  readonly starts: number;
  read(text: StepText, options: StepOptions): Promise<StepReading>;
  close(): Promise<void>;
}

interface Warm {
  readonly worker: ServerWorker;
  readonly header: string;
  body: string;
  /** Session of remote calls; null before the first call and after the server has dropped it. */
  rpcSession: string | null;
}

/** Starts nothing yet. */
export function openStepWorker(processContext: ProcessContext, memoryBytesMax: number): StepWorker {
  const closing = new AbortController();
  let warm: Warm | null = null;
  let starts = 0;
  let previous: Promise<unknown> = Promise.resolve();

  async function end(): Promise<void> {
    const ending = warm;
    warm = null;
    ending?.worker.process.end('crashed');
    await ending?.worker.process.ended;
  }

  /**
   * Reads a text to its end under the limits, or ends the process. At the deadline the process returns to the text
   * `back` if it can.
   */
  async function elaborate(on: Warm, body: string, options: StepOptions, back = body): Promise<StepReading> {
    const { process } = on.worker;
    const late = Promise.withResolvers<'late'>();
    const onDeadline = (): void => {
      watch.allow(RELEASE_MS);
      late.resolve('late');
    };
    const watch = watchRun(process, { ...options, memoryBytesMax, onDeadline: back === body ? undefined : onDeadline });
    const messages: LeanMessage[] = [];
    const reading = on.worker.elaborate(`${on.header}\n${body}`, (message) => messages.push(message));
    const timer = options.wallMs === undefined ? undefined : setTimeout(onDeadline, options.wallMs);
    const finished = await Promise.race([reading, late.promise]);
    clearTimeout(timer);
    const isBack = finished === 'late' && (await releaseText(on, reading, back));
    const { cpuMs } = watch.stop();
    options.signal?.throwIfAborted();
    if (isBack) return { kind: 'ended', exit: RELEASED, spentMs: cpuMs };
    if (finished !== true) return { kind: 'ended', exit: await process.ended, spentMs: cpuMs };
    on.body = body;
    return { kind: 'read', messages, goals: null, cpuMs, spentMs: cpuMs };
  }

  /**
   * Replaces the document by the text `back`, which makes Lean stop its work, and waits until Lean has read it. Returns
   * true if the process can be used again; otherwise it has ended.
   */
  async function releaseText(on: Warm, reading: Promise<boolean>, back: string): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, RELEASE_MS, false);
    const isRead = await Promise.race([on.worker.elaborate(`${on.header}\n${back}`, () => {}), late.promise]);
    const isBack = isRead && (await Promise.race([reading, late.promise]));
    clearTimeout(timer);
    on.body = back;
    if (!isBack) on.worker.process.end('deadline');
    return isBack;
  }

  async function warmUp(header: string, signal: AbortSignal): Promise<Warm | StepReading> {
    const resident = warm === null ? 0 : (treeResources(warm.worker.process.pid)?.residentBytes ?? 0);
    if (warm?.header === header && resident > 0 && resident < memoryBytesMax * RECYCLE_SHARE) return warm;
    await end();
    starts += 1;
    const worker = await startWorker(processContext, memoryBytesMax);
    if (!('process' in worker)) return { kind: 'ended', exit: worker, spentMs: 0 };
    warm = { worker, header, body: '', rpcSession: null };
    const read = await elaborate(warm, '', { deadlineMs: HEADER_DEADLINE_MS, signal });
    if (read.kind !== 'read') return read;
    const hasErrors = read.messages.some(({ severity }) => severity === 'error');
    return hasErrors ? { kind: 'header_error', messages: read.messages } : warm;
  }

  async function goalsAt(on: Warm, line: number, character: number): Promise<readonly Goal[] | null> {
    const { uri } = on.worker;
    const at = { textDocument: { uri }, position: { line: line - 1, character } };
    const session = on.rpcSession ?? (await connect(on));
    if (session === null) return null;
    const call = { ...at, sessionId: session, method: GOALS_METHOD, params: at };
    const interactive = await on.worker.ask('$/lean/rpc/call', call);
    // The server keeps the objects in its answer, and whole environments with them, until they are released.
    on.worker.tell('$/lean/rpc/release', { uri, sessionId: session, refs: referencesIn(interactive) });
    return readGoals(interactive, await on.worker.ask('$/lean/plainGoal', at));
  }

  async function connect(on: Warm): Promise<string | null> {
    const answer = await on.worker.ask('$/lean/rpc/connect', { uri: on.worker.uri });
    const session = (answer as { sessionId?: unknown } | null)?.sessionId;
    on.rpcSession = typeof session === 'string' ? session : null;
    return on.rpcSession;
  }

  /**
   * The server drops a session of remote calls that is unused for half a minute; then the request is repeated in a new
   * one.
   */
  async function goalsOf(on: Warm, line: number, character: number): Promise<readonly Goal[] | null> {
    try {
      return await goalsAt(on, line, character);
    } catch {
      on.rpcSession = null;
      return goalsAt(on, line, character).catch(() => null);
    }
  }

  async function readNow(text: StepText, options: StepOptions): Promise<StepReading> {
    const signal = options.signal === undefined ? closing.signal : AbortSignal.any([options.signal, closing.signal]);
    signal.throwIfAborted();
    const on = await warmUp(text.header, signal);
    if ('kind' in on) return on;
    let spentMs = 0;
    if (!on.body.startsWith(text.prefix)) {
      // Another branch was read since, or the process is new, so the cost of the prefix is not charged to this step.
      const again = await elaborate(on, text.prefix, { deadlineMs: replayDeadlineMs(text.prefixMs), signal });
      if (again.kind !== 'read') return again;
      spentMs += again.spentMs;
    }
    const read = await elaborate(on, text.body, { ...options, signal }, options.keepsProcess ? text.prefix : text.body);
    if (read.kind === 'header_error') return read;
    spentMs += read.spentMs;
    if (read.kind === 'ended' || text.goalLine === null) return { ...read, spentMs };
    const watch = watchRun(on.worker.process, { ...options, signal, memoryBytesMax });
    const goals = await goalsOf(on, text.goalLine, text.goalCharacter ?? 0);
    spentMs += watch.stop().cpuMs;
    signal.throwIfAborted();
    // If computing the goals ended the process, that is the result of the step.
    const isGone = goals === null && treeResources(on.worker.process.pid) === null;
    return isGone ? { kind: 'ended', exit: await on.worker.process.ended, spentMs } : { ...read, goals, spentMs };
  }

  return {
    get starts() {
      return starts;
    },
    read(text, options) {
      const reading = previous.then(() => readNow(text, options));
      previous = reading.catch(() => end());
      return reading;
    },
    async close() {
      closing.abort(new StpError('STP1203', 'the step service was closed', 'Open a new one.'));
      await previous;
      await end();
    },
  };
}

/** The exit for a text that Lean stopped reading. */
const RELEASED: LeanExit = { how: 'deadline', code: null, signal: null, stderr: '' };

/** Reading again takes about as long as before. */
function replayDeadlineMs(prefixMs: number): number {
  const FACTOR = 4;
  const LEAST_MS = 5_000;
  return LEAST_MS + FACTOR * prefixMs;
}
