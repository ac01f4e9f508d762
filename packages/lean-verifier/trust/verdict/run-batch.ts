/**
 * Checks one batch in one run of a Lean session. Returns result and time of each entry and, if the process ended early,
 * the entry in progress. `check-entries.ts` handles restarts and retries.
 */
import { randomBytes } from 'node:crypto';
import type { LeanMessage } from '@stp/config/records';
import type { LeanSession, SessionExit } from '../../runtime/process/driver.ts';
import type { ObjectRun } from '../../runtime/process/object-run.ts';
import type { RunModule, RunObjects } from '../object/run-objects.ts';
import { type Reading, readEntry, readJudged, readWritten } from './batch-reading.ts';
import { type BatchEntry, type BatchSource, batchSource, judgedSource, objectSource } from './batch-source.ts';
import { HEADER_TIMEOUT_MS, type Limits } from './limits.ts';

/** How entries are written to a file, and how the messages about an entry are read. */
export interface BatchForm {
  readonly source: typeof batchSource;
  readonly read: typeof readEntry;
  /** Missing: the run writes no module. */
  readonly objects?: RunObjects;
  /** Entries whose names make different namespaces may share a file, if none opens a namespace. */
  readonly sharesNamespaces?: true;
}
/** For proofs whose modules are not judged: Lean's answers decide nothing alone. */
export const PROOFS: BatchForm = { source: batchSource, read: readEntry, sharesNamespaces: true };
/** For proofs whose modules are compiled and judged after Lean accepts them. */
export const PROOFS_TO_JUDGE: BatchForm = { source: judgedSource, read: readJudged };
/** The run's own module is judged if Lean finds no error in it. */
export const proofsAsObjects = (objects: RunObjects): BatchForm => ({
  source: objectSource,
  read: readWritten,
  objects,
});

export interface EntryReading {
  readonly reading: Reading;
  /** The entry's share, by time, of its run's processor time, ms; wall time if that is unknown. */
  readonly checkMs: number;
}

export type BatchOutcome =
  /** `done`: readings of the first entries, in order. If some are missing, `exit` says why. */
  | {
      readonly kind: 'ran';
      readonly done: readonly EntryReading[];
      readonly exit: SessionExit;
      /** Present if Lean accepted every entry and wrote a module. */
      readonly module?: RunModule;
    }
  /** The header was valid when the session was opened, but no longer is, because a module has disappeared. */
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
  // If the header is already imported, the first entry begins with the run; otherwise with the mark after the header.
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
        messages.push(started ? located(message, source, doneAt.length - 1) : message);
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
  // Other load on the machine affects wall time but hardly processor time.
  const pace = exit.cpuMs > 0 ? exit.cpuMs / (performance.now() - beganAt) : 1;
  const headerErrors = messages.filter((message) => message.severity === 'error' && message.line <= source.startLine);
  if (headerErrors.length > 0 && exit.how === 'finished') return { kind: 'header_error', messages: headerErrors };
  // A warm process was past its header, so however early it ended, it was working on the first entry.
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
 * Attributes a message to an entry. Lean reads a header's variables again for each theorem, in the namespace of its
 * name, and reports errors at the variables' position. After the header such a message concerns the present entry, so
 * it gets the entry's first line.
 */
function located(message: LeanMessage, source: BatchSource, index: number): LeanMessage {
  if (message.line >= source.startLine) return message;
  const entry = source.entries[index] ?? source.entries.at(-1);
  return entry === undefined ? message : { ...message, line: entry.first, column: 0 };
}

/**
 * Whether a message is the answer to an entry's last line. Every candidate causes one, possibly an error (at the name,
 * if Lean knows no check theorem because it could not parse the statement), unless its text swallowed the command.
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
