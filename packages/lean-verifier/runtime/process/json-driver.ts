/**
 * The driver `lean --json --stdin`: one process per run, which imports the header anew. Runs cannot affect each other.
 * A start costs a quarter of a second (Mathlib: seconds), so a run should hold many candidates.
 */
import type { LeanMessage } from '@stp/config/records';
import { commandOptions } from './command-options.ts';
import type { LeanDriver, LeanSession } from './driver.ts';
import { runLean } from './lean-process.ts';
import { objectOptions } from './object-run.ts';
import { openSession } from './session.ts';
import type { ProcessPlace } from './spawn.ts';

/** Starting costs about 0.25 s and a small candidate about 0.01 s. */
const CANDIDATES_PER_RUN = 128;
/** For imports: Mathlib takes 5 s from a warm disk and minutes from a cold network disk. Processor time. */
export const HEADER_DEADLINE_MS = 180_000;
/**
 * Time that a run may take for the header on top of its own limit: this many times the processor time that the header took
 * alone, and what the last look at that may have missed.
 */
const HEADER_ALLOWANCE = 2;
const HEADER_UNSEEN_MS = 200;
/** Number of remembered headers that import; a fleet sees a handful, the HTTP service any that its clients send. */
const HEADERS_KNOWN_MAX = 1_024;

/**
 * `tried`: opening runs the header alone, once, to say whether it is fit. `in runs`: each run tells its errors and its time apart from those of
 * what follows (`verdict/run-batch.ts`), so that a header costs no start of its own.
 */
export type HeaderReading = 'tried' | 'in runs';

export function openJsonDriver(place: ProcessPlace, headers: HeaderReading = 'tried'): LeanDriver {
  /** Time that a run may take for each, ms. */
  const known = new Map<string, number>();
  return {
    name: 'json',
    candidatesPerRun: CANDIDATES_PER_RUN,
    writesObjects: true,
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const allowedMs = headers === 'in runs' ? 0 : known.get(header);
      if (allowedMs !== undefined) return { kind: 'open', session: jsonSession(place, header, allowedMs), headerMs: 0 };
      const startedAt = performance.now();
      const messages: LeanMessage[] = [];
      const exit = await runLean({
        ...place,
        arguments: ['--stdin', ...(await commandOptions(place))],
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
      return { kind: 'open', session: jsonSession(place, header, headerAllowedMs), headerMs };
    },
  };
}

function jsonSession(place: ProcessPlace, header: string, headerAllowedMs: number): LeanSession {
  return openSession({
    header,
    pid: null,
    residentBytes: async () => 0,
    async runOnce({ body, deadlineMs, object, ...run }) {
      const written = object === undefined ? null : objectOptions(object);
      return runLean({
        ...place,
        ...run,
        ...written,
        deadlineMs: deadlineMs + headerAllowedMs,
        arguments: ['--stdin', ...(await commandOptions(place)), ...(written?.arguments ?? [])],
        input: `${header}\n${body}`,
      });
    },
    end: async () => {},
  });
}
