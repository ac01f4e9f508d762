/** Runs `lean --json` once: one process for one text, watched from start to end, its messages read as they come. */
import type { LeanMessage } from '@stp/config/records';
import { type MessageEnd, readMessages } from './message.ts';
import { type LeanExit, type LeanProcess, type ProcessPlace, startLean } from './spawn.ts';
import { watchRun } from './watch-run.ts';

export interface LeanRun extends ProcessPlace {
  /** After `lean --json`. */
  readonly arguments: readonly string[];
  /** Source for `--stdin`, or null to give none. */
  readonly input: string | null;
  /** One that was started so and waits for its source. */
  readonly process?: LeanProcess | undefined;
  /** Processor time until the first deadline; `onMessage` may set a later one. Ten times that in wall time. */
  readonly deadlineMs: number;
  readonly memoryBytesMax: number;
  /** Folders that it may write to: where a module is compiled to. */
  readonly writable?: readonly string[] | undefined;
  /** Folders that it may read beside those of every Lean. */
  readonly readOnly?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `allow(ms)` moves the deadline to that much processor time from now. */
  readonly onMessage: (message: LeanMessage, allow: (ms: number) => void, end: MessageEnd | null) => void;
}

export interface LeanRunExit extends LeanExit {
  /** Processor time of the process group as far as it could be seen, ms. */
  readonly cpuMs: number;
  /** Highest resident memory seen. */
  readonly peakResidentBytes: number;
}

/** Resolves when the process group is gone. Rejects only with the abort signal's reason. */
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
