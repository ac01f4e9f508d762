/** Runs `lean --json` once: one process for one text, watched from start to end. Reports messages as they arrive. */
import type { LeanMessage } from '@stp/config/records';
import { type MessageEnd, readMessages } from './message.ts';
import { type LeanExit, type LeanProcess, type ProcessContext, startLean } from './spawn.ts';
import { watchRun } from './watch-run.ts';

export interface LeanRun extends ProcessContext {
  /** Arguments after `lean --json`. */
  readonly arguments: readonly string[];
  /** Source text for `--stdin`, or null for no input. */
  readonly input: string | null;
  /** An already started process that waits for its source text; it must have been started with the same arguments. */
  readonly process?: LeanProcess | undefined;
  /**
   * Processor time until the first deadline, ms; `onMessage` may set a later one. The wall-time limit is ten times
   * that.
   */
  readonly deadlineMs: number;
  readonly memoryBytesMax: number;
  /** Folders that the process may write to, such as the folder of a compiled module. */
  readonly writable?: readonly string[] | undefined;
  /** Folders that the process may read in addition to those of every Lean process. */
  readonly readOnly?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `allow(ms)` sets the deadline to that much processor time from now. */
  readonly onMessage: (message: LeanMessage, allow: (ms: number) => void, end: MessageEnd | null) => void;
}

export interface LeanRunExit extends LeanExit {
  /** Processor time of the process group, ms, as far as it could be observed. */
  readonly cpuMs: number;
  /** Peak observed resident memory, bytes. */
  readonly peakResidentBytes: number;
}

/** Resolves when the process group is gone. Rejects only with the signal's reason. */
export async function runLean(run: LeanRun): Promise<LeanRunExit> {
  run.signal?.throwIfAborted();
  const process = run.process ?? startLean({ ...run, arguments: ['--json', ...run.arguments] });
  if (!('pid' in process)) return { ...process, cpuMs: 0, peakResidentBytes: 0 };
  const watch = watchRun(process, run);
  const reader = readMessages((message, end) => run.onMessage(message, watch.allow, end));
  process.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  process.stdin.end(run.input ?? '');
  const exit = await process.ended;
  const used = watch.stop();
  run.signal?.throwIfAborted();
  return { ...exit, ...used };
}
