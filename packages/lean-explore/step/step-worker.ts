/**
 * The process behind the steps: one server worker, one text at a time, in the order asked for. Started when it is needed,
 * under the header that is needed; ended when a text exceeds a limit, and started anew for the next.
 */
import { StpError } from '@stp/base';
import type { LeanMessage } from '@stp/config/records';
import {
  HEADER_DEADLINE_MS,
  type LeanExit,
  type ProcessPlace,
  type ServerWorker,
  startWorker,
  treeResources,
  watchRun,
} from '@stp/lean-verifier';
import { readGoals, referencesIn } from './goals.ts';
import type { Goal, StepOptions } from './step.ts';

/** A process that holds this share of its memory's bound between two texts is replaced before the next. */
const RECYCLE_SHARE = 0.5;
/** Time for Lean to let go of a text that took too long, ms; a process that does not is ended. */
const RELEASE_MS = 1_000;
const GOALS_METHOD = 'Lean.Widget.getInteractiveGoals';

/** A text to read, and the part of it that was read with success before. */
export interface StepText {
  readonly header: string;
  readonly body: string;
  readonly prefix: string;
  /** Processor time that the prefix took when it was read first, ms. */
  readonly prefixMs: number;
  /** 1-based line where to look for goals, and the place in it, UTF-16 units; by default the line's beginning. Null: nowhere. */
  readonly goalLine: number | null;
  readonly goalCharacter?: number;
}

export type StepReading =
  | {
      readonly kind: 'read';
      readonly messages: readonly LeanMessage[];
      /** Null where the server gives none. */
      readonly goals: readonly Goal[] | null;
      readonly cpuMs: number;
      /** With what had to be read again for it, and the question for goals. */
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
  /** Session of the server's remote calls; null before the first and when it has been forgotten. */
  rpcSession: string | null;
}

/** Starts nothing yet. */
export function openStepWorker(place: ProcessPlace, memoryBytesMax: number): StepWorker {
  const closing = new AbortController();
  let warm: Warm | null = null;
  let starts = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function end(): Promise<void> {
    const ending = warm;
    warm = null;
    ending?.worker.process.end('crashed');
    await ending?.worker.process.ended;
  }

  /** Reads a text to its end under the limits, or ends the process. At the deadline the process goes `back`, if it can. */
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
   * Gives Lean the text before, for which it stops what it does, and waits until it has. True if the process can be used
   * further; else it has ended.
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
    const worker = await startWorker(place, memoryBytesMax);
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
    // The server keeps what its answer refers to, and with it whole environments, until it is told.
    on.worker.tell('$/lean/rpc/release', { uri, sessionId: session, refs: referencesIn(interactive) });
    return readGoals(interactive, await on.worker.ask('$/lean/plainGoal', at));
  }

  async function connect(on: Warm): Promise<string | null> {
    const answer = await on.worker.ask('$/lean/rpc/connect', { uri: on.worker.uri });
    const session = (answer as { sessionId?: unknown } | null)?.sessionId;
    on.rpcSession = typeof session === 'string' ? session : null;
    return on.rpcSession;
  }

  /** A session of remote calls that nobody uses for half a minute is forgotten: asked once more in a new one. */
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
      // Another branch was read since, or the process is new: the prefix is not this step's to pay for.
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
    // Where the process has ended over its goals, that is what the step came to.
    const isGone = goals === null && treeResources(on.worker.process.pid) === null;
    return isGone ? { kind: 'ended', exit: await on.worker.process.ended, spentMs } : { ...read, goals, spentMs };
  }

  return {
    get starts() {
      return starts;
    },
    read(text, options) {
      const reading = turn.then(() => readNow(text, options));
      turn = reading.catch(() => end());
      return reading;
    },
    async close() {
      closing.abort(new StpError('STP1203', 'the step service was closed', 'Open a new one.'));
      await turn;
      await end();
    },
  };
}

/** The exit of a text that Lean let go of. */
const RELEASED: LeanExit = { how: 'deadline', code: null, signal: null, stderr: '' };

/** Reading again takes what it took, more or less. */
function replayDeadlineMs(prefixMs: number): number {
  const FACTOR = 4;
  const LEAST_MS = 5_000;
  return LEAST_MS + FACTOR * prefixMs;
}
