/**
 * The driver for `lean --json --stdin`: one process per run, which imports the header each time. Runs cannot affect
 * each other. A start costs a quarter of a second (with Mathlib: seconds), so a run should hold many candidates.
 */
import type { LeanMessage } from '@stp/config/records';
import { commandOptions } from './command-options.ts';
import type { LeanDriver, LeanSession } from './driver.ts';
import { runLean } from './lean-process.ts';
import { objectOptions } from './object-run.ts';
import { openSession } from './session.ts';
import type { ProcessContext } from './spawn.ts';

/** A start takes about 0.25 s, a small candidate about 0.01 s. */
const CANDIDATES_PER_RUN = 128;
/** Processor time for imports: Mathlib takes 5 s from a warm disk and minutes from a cold network disk. */
export const HEADER_DEADLINE_MS = 180_000;
/**
 * Time that a run may take for the header in addition to its own limit: this many times the processor time of the
 * header alone, plus the time that sampling may have missed.
 */
const HEADER_ALLOWANCE = 2;
const HEADER_UNSEEN_MS = 200;
/**
 * Number of headers that are remembered as importable. A fleet uses a handful; clients of the HTTP service may send any
 * number.
 */
const HEADERS_KNOWN_MAX = 1_024;

/**
 * `tried`: opening a session runs the header alone, once, to test it. `in runs`: each run separates the header's errors
 * and time from those of the body (`verdict/run-batch.ts`), so the header needs no process of its own.
 */
export type HeaderReading = 'tried' | 'in runs';

export function openJsonDriver(processContext: ProcessContext, headers: HeaderReading = 'tried'): LeanDriver {
  /** Allowed time for each importable header, ms. */
  const known = new Map<string, number>();
  return {
    name: 'json',
    candidatesPerRun: CANDIDATES_PER_RUN,
    writesObjects: true,
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const allowedMs = headers === 'in runs' ? 0 : known.get(header);
      if (allowedMs !== undefined)
        return { kind: 'open', session: jsonSession(processContext, header, allowedMs), headerMs: 0 };
      const startedAt = performance.now();
      const messages: LeanMessage[] = [];
      const exit = await runLean({
        ...processContext,
        arguments: ['--stdin', ...(await commandOptions(processContext))],
        input: `${header}\n`,
        deadlineMs: HEADER_DEADLINE_MS,
        memoryBytesMax,
        signal,
        onMessage: (message) => messages.push(message),
      });
      const headerMs = performance.now() - startedAt;
      if (exit.how !== 'finished') return { kind: 'no_start', exit };
      if (messages.some(({ severity }) => severity === 'error')) return { kind: 'header_error', messages };
      if (known.size >= HEADERS_KNOWN_MAX) known.clear();
      const headerAllowedMs = HEADER_ALLOWANCE * (exit.cpuMs + HEADER_UNSEEN_MS);
      known.set(header, headerAllowedMs);
      return { kind: 'open', session: jsonSession(processContext, header, headerAllowedMs), headerMs };
    },
  };
}

function jsonSession(processContext: ProcessContext, header: string, headerAllowedMs: number): LeanSession {
  return openSession({
    header,
    pid: null,
    residentBytes: async () => 0,
    async runOnce({ body, deadlineMs, object, ...run }) {
      const written = object === undefined ? null : objectOptions(object);
      return runLean({
        ...processContext,
        ...run,
        ...written,
        deadlineMs: deadlineMs + headerAllowedMs,
        arguments: ['--stdin', ...(await commandOptions(processContext)), ...(written?.arguments ?? [])],
        input: `${header}\n${body}`,
      });
    },
    end: async () => {},
  });
}
