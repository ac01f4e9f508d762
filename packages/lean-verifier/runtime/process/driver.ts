/**
 * The `LeanDriver` port, one interface for two ways to use Lean: the language server (`server`) and batches of `lean
 * --json` (`json`). A session is one process group with one header imported. A run gives the messages that `lean
 * --json` would give for the header with the body below it, so all callers read one form of messages.
 */
import type { LeanMessage } from '@stp/config/records';
import type { MessageEnd } from './message.ts';
import type { ObjectRun } from './object-run.ts';
import type { LeanExit } from './spawn.ts';

export type DriverName = 'server' | 'json';

export interface SessionRun {
  /** Commands below the header. Its first line is the line after the header's last. */
  readonly body: string;
  /**
   * Processor time for the body until the first deadline, ms; `onMessage` may set a later one. Ten times that in wall time.
   * A driver that imports the header anew for each run allows for that itself.
   */
  readonly deadlineMs: number;
  /** Resident memory, bytes. */
  readonly memoryBytesMax: number;
  /** Lean writes the module of the header and the body there, unless it finds an error. Only where the driver `writesObjects`. */
  readonly object?: ObjectRun | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Each message once, lines counted from the header's first (1-based), by the time the run resolves, and where the driver
   * can as soon as Lean has it. `allow(ms)` moves the deadline to that much processor time from now. `end` is where the
   * text that the message is about ends, counted as its start; null or missing where Lean does not say.
   */
  readonly onMessage: (message: LeanMessage, allow: (ms: number) => void, end?: MessageEnd | null) => void;
}

export interface SessionExit extends LeanExit {
  /** Processor time this run used, ms. */
  readonly cpuMs: number;
  /** Highest resident memory seen during the run. */
  readonly peakResidentBytes: number;
  /** Wall time of the body alone, ms, where the run holds more than that: a request to another machine. */
  readonly bodyMs?: number;
}

export interface LeanSession {
  readonly header: string;
  /** Process id of the group's leader; null where no process runs between two checks. */
  readonly pid: number | null;
  /** Whether the header is imported when a run begins, where that is not told by there being a process. */
  readonly isWarm?: boolean;
  /** False once its process has ended or it has become unfit for further use. */
  readonly isAlive: boolean;
  /** Runs so far. */
  readonly uses: number;
  /** Resident bytes now; 0 where there is no process. */
  residentBytes(): Promise<number>;
  /**
   * One run at a time. `finished`: the body was read to its end and the session may be used again. Any other end has ended
   * the process group. Rejects only with the signal's reason, and has ended the process then too.
   */
  run(run: SessionRun): Promise<SessionExit>;
  /**
   * The goals at a place (line 1-based, column 0-based in code points) of the text of the last run, which `finished`, as
   * Lean prints them; null if there are none. Missing if the driver cannot ask.
   */
  goalsAt?(place: MessageEnd): Promise<string | null>;
  /** Ends the process group and waits until it is gone. */
  close(): Promise<void>;
}

/** The result of opening a session. */
export type Opened =
  | { readonly kind: 'open'; readonly session: LeanSession; readonly headerMs: number }
  /** The header has errors. */
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export interface LeanDriver {
  readonly name: DriverName;
  /** Candidates that one run should hold at most: 1 where the environment stays warm between runs, more where it does not. */
  readonly candidatesPerRun: number;
  /** A run of it can leave a compiled module. */
  readonly writesObjects?: true;
  /** Starts a process and imports the header. */
  open(header: string, options: { readonly signal?: AbortSignal; readonly memoryBytesMax: number }): Promise<Opened>;
}
