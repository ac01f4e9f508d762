/**
 * Checks one batch in one run of a Lean session. It returns the result and the time of each entry and, if the process
 * ended early, the entry in progress. `check-entries.ts` does restarts and retries.
 */
import { randomBytes } from 'node:crypto';
import type { LeanMessage } from '@stp/config/records';
import type { LeanSession, SessionExit } from '../../runtime/process/driver.ts';
import type { ObjectRun } from '../../runtime/process/object-run.ts';
import type { RunModule, RunObjects } from '../object/run-objects.ts';
import { type Reading, readEntry, readJudged, readWritten } from './batch-reading.ts';
import { type BatchEntry, type BatchSource, batchSource, judgedSource, objectSource } from './batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from './limits.ts';

/** How entries are written into a file, and how the messages about one of them are read. */
export interface BatchForm {
  readonly source: typeof batchSource;
  readonly read: typeof readEntry;
  /** Missing: the run leaves no module. */
  readonly objects?: RunObjects;
}
export const PROOFS: BatchForm = { source: batchSource, read: readEntry };
/** Their objects are judged when Lean accepts them. */
export const PROOFS_TO_JUDGE: BatchForm = { source: judgedSource, read: readJudged };
/** The run's own module is judged where Lean finds no error in it. */
export const proofsAsObjects = (objects: RunObjects): BatchForm => ({
  source: objectSource,
  read: readWritten,
  objects,
});

export interface EntryReading {
  readonly reading: Reading;
  /** Its part, by time, of the processor time of its run, ms; wall time if that is not known. */
  readonly checkMs: number;
}

export type BatchOutcome =
  /** `done`: readings of the first entries, in order; `exit` says why there are no more where some are missing. */
  | {
      readonly kind: 'ran';
      readonly done: readonly EntryReading[];
      readonly exit: SessionExit;
      /** There where Lean accepted every entry and left a module. */
      readonly module?: RunModule;
    }
  /** The header, fit when the session was opened, is so no longer: a module has gone. */
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  /** Lean ended before it reached the first entry. */
  | { readonly kind: 'no_start'; readonly exit: SessionExit };

/** Rejects only with the signal's reason. */
export async function runBatch(
  session: LeanSession,
  entries: readonly BatchEntry[],
  limits: Limits,
  signal: AbortSignal,
  form: BatchForm = PROOFS,
): Promise<BatchOutcome> {
  const source = form.source(session.header, entries, randomBytes(8).toString('hex'), limits);
  // Where the header is warm the first entry begins with the run; where not, with the mark that follows the header.
  const warm = session.isWarm ?? session.pid !== null;
  const messages: LeanMessage[] = [];
  const beganAt = performance.now();
  const doneAt: number[] = warm ? [beganAt] : [];
  let started = false;
  const run = async (object?: ObjectRun): Promise<SessionExit> =>
    session.run({
      body: source.body,
      deadlineMs: warm ? limits.candidateTimeoutMs : HEADER_TIMEOUT_MS,
      memoryBytesMax: limits.memoryBytesMax,
      object,
      signal,
      onMessage: (message, allow) => {
        messages.push(started ? placed(message, source, doneAt.length - 1) : message);
        if (!started) {
          if (message.line < source.startLine) return;
          started = true;
          if (!warm) doneAt.push(performance.now());
          allow(limits.candidateTimeoutMs);
        }
        if (isDoneMark(message, source, doneAt.length - 1)) {
          doneAt.push(performance.now());
          allow(limits.candidateTimeoutMs);
        }
      },
    });
  const { exit, bytes } =
    form.objects === undefined
      ? { exit: await run(), bytes: null }
      : await form.objects.write(session.header, { memoryBytesMax: limits.memoryBytesMax, signal }, async (object) => ({
          exit: await run(object),
          hasErrors: messages.some(({ severity }) => severity === 'error'),
        }));
  // Other load makes wall time longer, and processor time hardly.
  const pace = exit.cpuMs > 0 ? exit.cpuMs / (performance.now() - beganAt) : 1;
  const headerErrors = messages.filter((message) => message.severity === 'error' && message.line <= source.startLine);
  if (headerErrors.length > 0 && exit.how === 'finished') return { kind: 'header_error', messages: headerErrors };
  // A warm process was past its header: however early it ended, the first entry is what it was at.
  if (!started && (!warm || exit.how === 'not-started')) return { kind: 'no_start', exit };
  const done = readDone(messages, source, doneAt, form, pace);
  const isAccepted = done.length === entries.length && done.every(({ reading }) => reading.kind === 'unrefuted');
  const module =
    bytes === null || !isAccepted
      ? {}
      : {
          module: {
            text: `${session.header}\n${source.body}`,
            names: source.names ?? [],
            bytes,
            ms: performance.now() - beganAt,
            peakResidentBytes: exit.peakResidentBytes,
            memoryBytesMax: limits.memoryBytesMax,
          },
        };
  const [only] = done;
  const { bodyMs } = exit;
  if (entries.length === 1 && only !== undefined && bodyMs !== undefined)
    return { kind: 'ran', done: [{ ...only, checkMs: bodyMs }], exit };
  return { kind: 'ran', done, exit, ...module };
}

/**
 * Lean reads a header's variables anew for each theorem, in the namespace of its name, and tells of errors where they stand. Once an entry
 * is read, such a message is about this entry: it gets the entry's first line.
 */
function placed(message: LeanMessage, source: BatchSource, index: number): LeanMessage {
  if (message.line >= source.startLine) return message;
  const entry = source.entries[index] ?? source.entries.at(-1);
  return entry === undefined ? message : { ...message, line: entry.first, column: 0 };
}

/**
 * The answer to an entry's last line: every candidate gives one, possibly an error (at the name, where Lean knows no check theorem
 * since it could not parse the statement), unless its text swallowed the command.
 */
function isDoneMark(message: LeanMessage, source: BatchSource, index: number): boolean {
  return message.line === source.entries[index]?.last;
}

function readDone(
  messages: readonly LeanMessage[],
  source: BatchSource,
  doneAt: readonly number[],
  form: BatchForm,
  pace: number,
): EntryReading[] {
  return doneAt.slice(1).map((end, index) => {
    const lines = source.entries[index]!;
    const own = messages.filter((message) => message.line >= lines.first && message.line <= lines.last);
    return { reading: form.read(own, lines), checkMs: (end - doneAt[index]!) * pace };
  });
}
