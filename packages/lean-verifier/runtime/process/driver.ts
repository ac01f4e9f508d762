/**
 * The `LeanDriver` port: one interface for two ways to use Lean, the language server (`server`) and batches of `lean
 * --json` (`json`). A session is one process group with one imported header. A run gives the messages that `lean
 * --json` would give for the header followed by the body, so callers handle a single message format.
 */
import type { LeanMessage } from '@stp/config/records';
import type { MessageEnd } from './message.ts';
import type { ObjectRun } from './object-run.ts';
import type { LeanExit } from './spawn.ts';

export type DriverName = 'server' | 'json';

export interface SessionRun {
  /** Commands below the header. The body's first line follows the header's last line. */
  readonly body: string;
  /**
   * Processor time for the body until the first deadline, ms; `onMessage` may set a later one. The wall-time limit is
   * ten times that. A driver that imports the header for each run adds the time for the import by itself.
   */
  readonly deadlineMs: number;
  /** Maximum resident memory, bytes. */
  readonly memoryBytesMax: number;
  /**
   * Where Lean writes the compiled module of header and body; it writes none if it finds an error. Only for drivers
   * with `writesObjects`.
   */
  readonly object?: ObjectRun | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once for each message before the run resolves, as early as the driver can. Lines count from the header's
   * first line (1-based). `allow(ms)` sets the deadline to that much processor time from now. `end` is the end of the
   * text that the message is about, in the same coordinates as its start; null or missing if Lean does not report it.
   */
  readonly onMessage: (message: LeanMessage, allow: (ms: number) => void, end?: MessageEnd | null) => void;
}

export interface SessionExit extends LeanExit {
  /** Processor time of this run, ms. */
  readonly cpuMs: number;
  /** Peak resident memory during the run, bytes. */
  readonly peakResidentBytes: number;
  /** Wall time of the body alone, ms. Present if the run includes more, such as a request to another machine. */
  readonly bodyMs?: number;
}

export interface LeanSession {
  readonly header: string;
  /** Process id of the group's leader; null if no process exists between two runs. */
  readonly pid: number | null;
  /** Whether the header is already imported when a run begins. Missing: it is imported if a process exists. */
  readonly isWarm?: boolean;
  /** False once the process has ended or the session cannot be used again. */
  readonly isAlive: boolean;
  /** Number of runs so far. */
  readonly uses: number;
  /** Returns the present resident memory in bytes; 0 if there is no process. */
  residentBytes(): Promise<number>;
  /**
   * Runs one body; only one run at a time. `finished`: the body was read to its end, and the session can be used again.
   * After any other outcome the process group has ended. Rejects only with the signal's reason, after ending the
   * process.
   */
  run(run: SessionRun): Promise<SessionExit>;
  /**
   * Returns the goals at a position (line 1-based, column 0-based in code points) in the text of the last run, which
   * must have `finished`, as Lean prints them; null if there are none. Missing if the driver cannot ask for goals.
   */
  goalsAt?(position: MessageEnd): Promise<string | null>;
  /** Ends the process group and waits until it is gone. */
  close(): Promise<void>;
}

export type Opened =
  | { readonly kind: 'open'; readonly session: LeanSession; readonly headerMs: number }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export interface LeanDriver {
  readonly name: DriverName;
  /**
   * Recommended maximum number of candidates in one run: 1 if the header stays imported between runs, more if it does
   * not.
   */
  readonly candidatesPerRun: number;
  /** Whether runs can write a compiled module. */
  readonly writesObjects?: true;
  /** Starts a process and imports the header. */
  open(header: string, options: { readonly signal?: AbortSignal; readonly memoryBytesMax: number }): Promise<Opened>;
}
