/**
 * Checks one snippet on one process of the pool and makes its part of the answer. The snippet is untrusted: while it
 * runs, it has the process to itself, with limits on time, memory and output, and it leaves nothing for the next
 * snippet.
 */
import { randomUUID } from 'node:crypto';
import type { LeanMessage } from '@stp/config/records';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import type { LeanSession, SessionExit } from '../runtime/process/driver.ts';
import type { LeanExit } from '../runtime/process/spawn.ts';
import { findUnjudgeable } from '../trust/verdict/file-policy.ts';
import type { SnippetRoom } from './answer-room.ts';
import { HEADER_CHARS_MAX } from './limits.ts';
import type { HidePaths } from './private-paths.ts';
import { findSorries } from './sorry-goals.ts';
import { type SplitSnippet, splitSnippet } from './split-snippet.ts';
import type { Outcome, WireMessage, WireResult } from './wire.ts';
import { wireMessage } from './wire-message.ts';

/** One thread of Lean elaborates and one reports, so processor time is at most this many times wall time. */
const THREADS = 2;
/** Processor time limit for reading only the imports again, which takes milliseconds. */
const CLEAR_MS = 2_000;
/** A text with more tokens is not searched for code, but assumed to run code. */
const TOKENS_JUDGED_MAX = 20_000;

export interface SnippetCheck {
  readonly pool: LeanPool;
  /** Wall time for Lean to read the text after the imports, ms. */
  readonly timeoutMs: number;
  /** Processor time, ms; null if only wall time is limited. */
  readonly cpuTimeoutMs: number | null;
  readonly memoryBytesMax: number;
  /** Require a process that has checked nothing yet. */
  readonly fresh: boolean;
  /** Counts the snippet's texts against the limits of the answer. */
  readonly room: SnippetRoom;
  /** Applied to everything that Lean says. */
  readonly hidePaths: HidePaths;
  /** Maximum wait for a process, ms. Missing: no limit. */
  readonly waitMsMax?: number;
  readonly signal: AbortSignal;
  /** Called when the snippet has got a process. */
  readonly onStart: () => void;
}

export interface SnippetFacts {
  readonly result: WireResult;
  readonly outcome: Outcome;
  /** Null if unknown because no process was available. */
  readonly times: { readonly queueMs: number; readonly headerMs: number } | null;
  readonly run: { readonly checkMs: number; readonly cpuMs: number; readonly peakResidentBytes: number } | null;
}

/** How a run ended: by itself, by our time limit, or because it wrote more than the limit. */
type Ran =
  | { readonly how: 'exit'; readonly exit: SessionExit }
  | { readonly how: 'timeout' }
  | { readonly how: 'too much said' };

/** Rejects with the signal's reason, with STP1206 after the maximum wait, and with STP1203 if the pool is closed. */
export async function checkSnippet(snippet: { id: string; code: string }, check: SnippetCheck): Promise<SnippetFacts> {
  const code = snippet.code.replaceAll('\r\n', '\n');
  const split = splitSnippet(code);
  const { id } = snippet;
  if (split.header.length > HEADER_CHARS_MAX)
    return refusedHeader(id, split, `the imports are longer than ${HEADER_CHARS_MAX} characters`);
  const isOwn = check.fresh || runsCode(code, split);
  const first = await checkOnce(id, code, split, { ...check, fresh: isOwn });
  // Earlier snippets may have filled the memory of a shared process, so try again with a fresh one.
  return first.outcome === 'memory' && first.isUsed && !isOwn
    ? checkOnce(id, code, split, { ...check, fresh: true })
    : first;
}

/** The result has `isUsed` if the process had checked other snippets before. */
async function checkOnce(
  id: string,
  code: string,
  split: SplitSnippet,
  check: SnippetCheck,
): Promise<SnippetFacts & { readonly isUsed: boolean }> {
  const messages: WireMessage[] = [];
  const leased = await check.pool.lease(
    split.header,
    async (session) => {
      check.onStart();
      if (split.broken !== null) return null;
      const isUsed = session.uses > 0;
      const startedAt = performance.now();
      const ran = await runBody(session, split, messages, check);
      const checkMs = performance.now() - startedAt;
      const isRead = ran.how === 'exit' && ran.exit.how === 'finished';
      const sorries = isRead ? await findSorries(session, code, split, messages, check) : [];
      // An incomplete check is reported in one sentence, without Lean's texts.
      if (!isRead) check.room.giveBack();
      if (!check.fresh && session.isAlive && session.pid !== null) await clear(session, check);
      return { ran, sorries, uuid: uuidOf(session), checkMs, isUsed };
    },
    {
      signal: check.signal,
      fresh: check.fresh,
      ...(check.waitMsMax === undefined ? {} : { waitMsMax: check.waitMsMax }),
    },
  );
  const unused = { isUsed: false };
  if (leased.kind === 'header_error') {
    const said = leased.messages.map((message) => wireMessage(hidden(message, check), null, split.lineOf));
    return { ...headerError(id, said), ...unused };
  }
  if (leased.kind === 'no_start') return { ...notStarted(id, leased.exit), ...unused };
  // Lean reads more imports than this service recognised, so nothing was checked.
  if (leased.value === null) return { ...refusedHeader(id, split, 'the imports cannot be read'), ...unused };
  const { ran, sorries, uuid, checkMs, isUsed } = leased.value;
  const { queueMs, headerMs } = leased;
  const exit = ran.how === 'exit' ? ran.exit : null;
  const { outcome, error } = judge(ran, check);
  const base = { id, time: seconds(checkMs), outcome };
  const diagnostics = {
    repl_uuid: uuid,
    queue_time: seconds(queueMs),
    header_time: seconds(headerMs),
    ...(exit === null
      ? {}
      : {
          cpu_max: checkMs === 0 ? 0 : Math.round((100 * exit.cpuMs) / checkMs),
          memory_max: exit.peakResidentBytes,
          cpu_time: seconds(exit.cpuMs),
        }),
  };
  const response = {
    // The REPL's number for the environment after the snippet. This service keeps no environments.
    env: 0,
    ...(messages.length > 0 ? { messages } : {}),
    ...(sorries.length > 0 ? { sorries } : {}),
  };
  return {
    result: { ...base, ...(error === null ? { response } : { error }), diagnostics },
    outcome,
    times: { queueMs, headerMs },
    run: exit === null ? null : { checkMs, cpuMs: exit.cpuMs, peakResidentBytes: exit.peakResidentBytes },
    isUsed,
  };
}

/**
 * Removes the snippet from a process that other snippets will use. A process that can no longer read its imports alone,
 * or is about to end, is ended here.
 */
async function clear(session: LeanSession, { memoryBytesMax, signal }: SnippetCheck): Promise<void> {
  await session.run({ body: '', deadlineMs: CLEAR_MS, memoryBytesMax, signal, onMessage: () => {} });
}

async function runBody(
  session: LeanSession,
  split: SplitSnippet,
  messages: WireMessage[],
  check: SnippetCheck,
): Promise<Ran> {
  const { timeoutMs, cpuTimeoutMs, memoryBytesMax, signal, room } = check;
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort('timeout'), timeoutMs);
  try {
    const exit = await session.run({
      body: split.body,
      deadlineMs: cpuTimeoutMs ?? timeoutMs * THREADS,
      memoryBytesMax,
      signal: AbortSignal.any([signal, cut.signal]),
      onMessage: (message, _, end) => {
        const shown = hidden(message, check);
        if (room.take(shown.text.length)) messages.push(wireMessage(shown, end, split.lineOf));
        else cut.abort('too much said');
      },
    });
    return cut.signal.reason === 'too much said' ? { how: 'too much said' } : { how: 'exit', exit };
  } catch (error) {
    if (signal.aborted || !cut.signal.aborted) throw error;
    return { how: cut.signal.reason as 'timeout' | 'too much said' };
  } finally {
    clearTimeout(timer);
  }
}

function hidden(message: LeanMessage, { hidePaths }: SnippetCheck): LeanMessage {
  return { ...message, text: hidePaths(message.text) };
}

/**
 * Lean runs code while it elaborates, and code could change the process for its next user. A snippet that might contain
 * code gets a process of its own. All others, nearly all of which are proofs, share warm processes.
 */
function runsCode(code: string, { allTokens }: SplitSnippet): boolean {
  return allTokens.length > TOKENS_JUDGED_MAX || findUnjudgeable(code, allTokens) !== null;
}

/** Clients recognise a timeout by the words `timed out`. */
function judge(
  ran: Ran,
  { timeoutMs, cpuTimeoutMs, memoryBytesMax }: SnippetCheck,
): { outcome: Outcome; error: string | null } {
  const timedOut = `Lean REPL command timed out in ${limitSeconds(timeoutMs)} seconds`;
  const outOfTime =
    cpuTimeoutMs === null ? timedOut : `${timedOut}, or in ${limitSeconds(cpuTimeoutMs)} of processor time`;
  if (ran.how === 'timeout') return { outcome: 'timeout', error: timedOut };
  if (ran.how === 'too much said') return { outcome: 'output', error: 'Lean printed more than is kept' };
  switch (ran.exit.how) {
    case 'finished':
      return { outcome: 'checked', error: null };
    case 'deadline':
      return { outcome: 'timeout', error: outOfTime };
    case 'memory':
      return { outcome: 'memory', error: `Lean used more memory than ${memoryBytesMax} bytes` };
    case 'output':
      return { outcome: 'output', error: 'Lean printed more than is read' };
    case 'crashed':
      return { outcome: 'crash', error: `Lean ended by ${ran.exit.signal ?? `exit code ${ran.exit.code}`}` };
    case 'not-started':
      return { outcome: 'unavailable', error: 'Lean could not be started; the server has more in its log' };
  }
}

function headerError(id: string, messages: readonly WireMessage[]): SnippetFacts {
  const response = { env: 0, messages: [...messages] };
  return {
    result: { id, time: 0, outcome: 'header_error', response },
    outcome: 'header_error',
    times: null,
    run: null,
  };
}

/** Reports broken imports without asking Lean. */
function refusedHeader(id: string, { broken }: SplitSnippet, data: string): SnippetFacts {
  return headerError(id, [{ severity: 'error', pos: broken ?? { line: 1, column: 0 }, data }]);
}

function notStarted(id: string, exit: LeanExit): SnippetFacts {
  const outcome = exit.how === 'deadline' ? 'timeout' : exit.how === 'memory' ? 'memory' : 'unavailable';
  const error =
    exit.how === 'deadline' ? 'Lean REPL header command timed out' : `Lean ended before the imports (${exit.how})`;
  return { result: { id, time: 0, error, outcome }, outcome, times: null, run: null };
}

const uuids = new WeakMap<LeanSession, string>();

function uuidOf(session: LeanSession): string {
  const uuid = uuids.get(session) ?? randomUUID();
  uuids.set(session, uuid);
  return uuid;
}

/** Formats a limit for a message, in seconds with millisecond precision: a client may request any number. */
function limitSeconds(ms: number): number {
  return Math.max(1, Math.round(ms)) / 1_000;
}

/** Formats seconds with microsecond precision, as Kimina does. */
function seconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000_000;
}
