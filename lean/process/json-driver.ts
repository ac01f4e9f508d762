/**
 * `lean --json --stdin`: a process for each run, which imports the header anew. Nothing of one run can reach the next, and
 * a start costs a quarter of a second (Mathlib: seconds), so a run should hold many candidates.
 */
import type { LeanMessage } from '../../data/schemas/records.ts';
import { commandOptions } from './command-options.ts';
import type { LeanDriver, LeanSession } from './driver.ts';
import { runLean } from './lean-process.ts';
import { openSession } from './session.ts';
import type { ProcessPlace } from './spawn.ts';

/** Starting costs about 0.25 s and a small candidate about 0.01 s. */
const CANDIDATES_PER_RUN = 128;
/** For imports: Mathlib takes 5 s from a warm disk and minutes from a cold network disk. Processor time. */
export const HEADER_DEADLINE_MS = 180_000;
/** What a run may take for the header on top of its own deadline: this many times what the header took alone. */
const HEADER_ALLOWANCE = 4;
/** Headers that are known to import; a fleet sees a handful, the HTTP service whatever its clients send. */
const HEADERS_KNOWN_MAX = 1_024;

export function openJsonDriver(place: ProcessPlace): LeanDriver {
  /** What each took, ms. */
  const known = new Map<string, number>();
  return {
    name: 'json',
    candidatesPerRun: CANDIDATES_PER_RUN,
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const knownMs = known.get(header);
      if (knownMs !== undefined) return { kind: 'open', session: jsonSession(place, header, knownMs), headerMs: 0 };
      const startedAt = performance.now();
      const messages: LeanMessage[] = [];
      const exit = await runLean({
        ...place,
        arguments: await commandOptions(place),
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
      known.set(header, headerMs);
      return { kind: 'open', session: jsonSession(place, header, headerMs), headerMs };
    },
  };
}

function jsonSession(place: ProcessPlace, header: string, headerMs: number): LeanSession {
  return openSession({
    header,
    pid: null,
    residentBytes: async () => 0,
    async runOnce({ body, deadlineMs, ...run }) {
      return runLean({
        ...place,
        ...run,
        deadlineMs: deadlineMs + HEADER_ALLOWANCE * headerMs,
        arguments: await commandOptions(place),
        input: `${header}\n${body}`,
      });
    },
    end: async () => {},
  });
}
