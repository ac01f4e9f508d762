/**
 * Checks one snippet on one process of the pool and makes its part of the answer. The snippet is untrusted: it has the
 * process to itself while it runs, with limits on time, memory and output, and leaves nothing for the next one.
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

/** One thread of Lean elaborates and one reports, so this much processor time cannot pass before the wall clock's. */
const THREADS = 2;
/** Processor time for a process to read nothing but its imports again: it takes milliseconds. */
const CLEAR_MS = 2_000;
/** A longer text is not searched word by word for code: it is assumed to run some. */
const TOKENS_JUDGED_MAX = 20_000;

export interface SnippetCheck {
  readonly pool: LeanPool;
  /** Wall time for Lean to read what follows the imports. */
  readonly timeoutMs: number;
  /** Processor time; null where the wall clock alone decides. */
  readonly cpuTimeoutMs: number | null;
  readonly memoryBytesMax: number;
  /** Take a process that has checked nothing yet. */
  readonly fresh: boolean;
  /** Room for its texts in the answer. */
  readonly room: SnippetRoom;
  /** For what Lean says. */
  readonly hidePaths: HidePaths;
  /** Longest wait for a process; without it as long as it takes. */
  readonly waitMsMax?: number;
  readonly signal: AbortSignal;
  /** Called when a process has been found. */
  readonly onStart: () => void;
}

export interface SnippetFacts {
  readonly result: WireResult;
  readonly outcome: Outcome;
  /** Null where it is not known: no process was found fit. */
  readonly times: { readonly queueMs: number; readonly headerMs: number } | null;
  readonly run: { readonly checkMs: number; readonly cpuMs: number; readonly peakResidentBytes: number } | null;
}

/** The end of one run: by itself, by our clock, or because it wrote more than is kept. */
type Ran =
  | { readonly how: 'exit'; readonly exit: SessionExit }
  | { readonly how: 'timeout' }
  | { readonly how: 'too much said' };

/** Rejects with the signal's reason, with STP1206 after the longest wait, with STP1203 where the pool is closed. */
export async function checkSnippet(snippet: { id: string; code: string }, check: SnippetCheck): Promise<SnippetFacts> {
  const code = snippet.code.replaceAll('\r\n', '\n');
  const split = splitSnippet(code);
  const { id } = snippet;
  if (split.header.length > HEADER_CHARS_MAX)
    return refusedHeader(id, split, `the imports are longer than ${HEADER_CHARS_MAX} characters`);
  const isOwn = check.fresh || runsCode(code, split);
  const first = await checkOnce(id, code, split, { ...check, fresh: isOwn });
  // The memory of a process that others had used may be full of what they left in it.
  return first.outcome === 'memory' && first.isUsed && !isOwn
    ? checkOnce(id, code, split, { ...check, fresh: true })
    : first;
}

/** `isUsed`: the process had checked other snippets. */
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
      // An incomplete check is reported in one sentence.
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
  // Lean reads more imports than this service can: nothing was checked.
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
    // The REPL's number of the environment that the snippet left; here none is left.
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
 * Takes the snippet out of a process that others will use. A process that cannot read its bare imports any more, or is
 * about to end, ends here and is given to nobody.
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
 * code gets a process of its own; the others, which are nearly all proofs, share warm ones.
 */
function runsCode(code: string, { allTokens }: SplitSnippet): boolean {
  return allTokens.length > TOKENS_JUDGED_MAX || findUnjudgeable(code, allTokens) !== null;
}

/** Clients tell a time-out by the words `timed out`. */
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

/** Lean is not asked. */
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

/** A limit in a message, to the millisecond: a client may ask for any number, and no clock here is finer. */
function limitSeconds(ms: number): number {
  return Math.max(1, Math.round(ms)) / 1_000;
}

/** Formats seconds to the microsecond, as Kimina does. */
function seconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000_000;
}
