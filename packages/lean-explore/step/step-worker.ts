/**
 * The process behind the steps: one server worker that reads one text at a time, in the order of requests. It starts on
 * demand under the required header, and is ended when a text exceeds a limit; the next text then starts a new one.
 */
import { StpError } from '@stp/base';
import type { LeanMessage } from '@stp/config/records';
import { HEADER_DEADLINE_MS, type LeanExit, type ProcessContext, startWorker } from '@stp/lean-verifier';
import type { Goal, StepOptions } from './step.ts';
import { type Ended, StepProcess } from './step-process.ts';

/** A process that holds more than this share of its memory limit between two texts is replaced before the next. */
const RECYCLE_SHARE = 0.5;

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

/** Starts nothing yet. */
export function openStepWorker(processContext: ProcessContext, memoryBytesMax: number): StepWorker {
  return new OneAtATime(processContext, memoryBytesMax);
}

/** Reads texts in the order of requests, with one process that is kept between them. */
class OneAtATime implements StepWorker {
  readonly #processContext: ProcessContext;
  readonly #memoryBytesMax: number;
  readonly #closing = new AbortController();
  #process: StepProcess | null = null;
  #starts = 0;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(processContext: ProcessContext, memoryBytesMax: number) {
    this.#processContext = processContext;
    this.#memoryBytesMax = memoryBytesMax;
  }

  get starts(): number {
    return this.#starts;
  }

  read(text: StepText, options: StepOptions): Promise<StepReading> {
    const reading = this.#previous.then(() => this.#readNow(text, options));
    // The caller gets the error. The process may be in any state after it.
    this.#previous = reading.catch(() => this.#end());
    return reading;
  }

  async close(): Promise<void> {
    this.#closing.abort(new StpError('STP1203', 'the step service was closed', 'Open a new one.'));
    await this.#previous;
    await this.#end();
  }

  async #readNow(text: StepText, options: StepOptions): Promise<StepReading> {
    const { signal: closed } = this.#closing;
    const signal = options.signal === undefined ? closed : AbortSignal.any([options.signal, closed]);
    signal.throwIfAborted();
    const process = await this.#under(text.header, signal);
    if (!(process instanceof StepProcess)) return process;
    let spentMs = 0;
    if (!process.body.startsWith(text.prefix)) {
      // Another branch was read since, or the process is new, so the cost of the prefix is not charged to this step.
      const again = await process.elaborate(text.prefix, { deadlineMs: replayDeadlineMs(text.prefixMs), signal });
      if (again.kind === 'ended') return ended(again);
      spentMs += again.cpuMs;
    }
    const back = options.keepsProcess ? text.prefix : text.body;
    const read = await process.elaborate(text.body, { ...options, signal }, back);
    spentMs += read.cpuMs;
    if (read.kind === 'ended') return ended(read, spentMs);
    if (text.goalLine === null) return { ...read, goals: null, spentMs };
    const found = await process.goalsAt(text.goalLine, text.goalCharacter ?? 0, { ...options, signal });
    spentMs += found.cpuMs;
    return 'goals' in found ? { ...read, goals: found.goals, spentMs } : ended(found, spentMs);
  }

  /** Returns a process that has read the header: the present one, or a new one. */
  async #under(header: string, signal: AbortSignal): Promise<StepProcess | StepReading> {
    const present = this.#process;
    const resident = present?.residentBytes ?? 0;
    if (present?.header === header && resident > 0 && resident < this.#memoryBytesMax * RECYCLE_SHARE) return present;
    await this.#end();
    this.#starts += 1;
    const worker = await startWorker(this.#processContext, this.#memoryBytesMax);
    if (!('process' in worker)) return { kind: 'ended', exit: worker, spentMs: 0 };
    const process = new StepProcess(worker, header, this.#memoryBytesMax);
    this.#process = process;
    const read = await process.elaborate('', { deadlineMs: HEADER_DEADLINE_MS, signal });
    if (read.kind === 'ended') return ended(read);
    const hasErrors = read.messages.some(({ severity }) => severity === 'error');
    return hasErrors ? { kind: 'header_error', messages: read.messages } : process;
  }

  async #end(): Promise<void> {
    const ending = this.#process;
    this.#process = null;
    await ending?.end();
  }
}

function ended({ kind, exit, cpuMs }: Ended, spentMs = cpuMs): StepReading {
  return { kind, exit, spentMs };
}

/** Reading again takes about as long as before. */
function replayDeadlineMs(prefixMs: number): number {
  const FACTOR = 4;
  const LEAST_MS = 5_000;
  return LEAST_MS + FACTOR * prefixMs;
}
