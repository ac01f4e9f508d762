/**
 * Checks one batch in one Lean process and says, for each entry, what was read of it and how long it took; where the
 * process ended before its time, which entry it was at. Restarts and retries are `check-group.ts`'s.
 */
import { randomBytes } from 'node:crypto';
import type { LeanMessage } from '../../data/schemas/records.ts';
import { commandOptions } from '../process/command-options.ts';
import { type LeanExit, type LeanRun, runLean } from '../process/lean-process.ts';
import { type Reading, readEntry } from './batch-reading.ts';
import { type BatchEntry, type BatchSource, batchSource } from './batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from './limits.ts';

export type ProcessOptions = Pick<LeanRun, 'environment' | 'workingDirectory' | 'runMark'>;

export interface EntryReading {
  readonly reading: Reading;
  readonly checkMs: number;
}

export type BatchOutcome =
  /** `done`: readings of the first entries, in order; `exit` says why there are no more where some are missing. */
  | { readonly kind: 'ran'; readonly done: readonly EntryReading[]; readonly exit: LeanExit }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  /** Lean ended before the header was through. */
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export async function runBatch(
  header: string,
  entries: readonly BatchEntry[],
  limits: Limits,
  options: ProcessOptions,
  signal: AbortSignal,
): Promise<BatchOutcome> {
  const source = batchSource(header, entries, randomBytes(8).toString('hex'), limits);
  const messages: LeanMessage[] = [];
  const doneAt: number[] = [];
  let started = false;
  const exit = await runLean({
    ...options,
    arguments: await commandOptions(options),
    input: source.text,
    deadlineMs: HEADER_TIMEOUT_MS,
    memoryBytesMax: limits.memoryBytesMax,
    signal,
    onMessage: (message, allow) => {
      messages.push(message);
      if (!started) {
        if (message.line < source.startLine) return;
        started = true;
        doneAt.push(performance.now());
        allow(limits.candidateTimeoutMs);
      }
      if (isDoneMark(message, source, doneAt.length - 1)) {
        doneAt.push(performance.now());
        allow(limits.candidateTimeoutMs);
      }
    },
  });
  const headerErrors = messages.filter((message) => message.severity === 'error' && message.line <= source.startLine);
  if (headerErrors.length > 0 && exit.how === 'finished') return { kind: 'header_error', messages: headerErrors };
  if (!started) return { kind: 'no_start', exit };
  return { kind: 'ran', done: readDone(messages, source, doneAt), exit };
}

/** The answer of `#print axioms`: every candidate gives one, be it an error, unless its text swallowed the command. */
function isDoneMark(message: LeanMessage, source: BatchSource, index: number): boolean {
  return message.line === source.entries[index]?.last && message.column === 0;
}

function readDone(messages: readonly LeanMessage[], source: BatchSource, doneAt: readonly number[]): EntryReading[] {
  return doneAt.slice(1).map((end, index) => {
    const lines = source.entries[index]!;
    const own = messages.filter((message) => message.line >= lines.first && message.line <= lines.last);
    return { reading: readEntry(own, lines), checkMs: end - doneAt[index]! };
  });
}
