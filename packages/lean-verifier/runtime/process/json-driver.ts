/**
 * The driver for `lean --json --stdin`: one process per run, which imports the header each time, or loads saved imports.
 * Runs cannot affect each other. A start costs a quarter of a second, or a tenth with saved imports (with Mathlib:
 * seconds), so a run should hold many candidates.
 */
import type { LeanMessage } from '@stp/config/records';
import { commandOptions } from './command-options.ts';
import type { LeanDriver, LeanSession } from './driver.ts';
import { type LeanRun, type LeanRunExit, runLean } from './lean-process.ts';
import { type HeaderSnapshot, loadOptions, objectOptions } from './object-run.ts';
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

/** Saved imports of headers. */
export interface SavedImports {
  /**
   * Calls the work with the saved imports of a header, or null if there are none. They stay until the work is done. The
   * work calls `drop` if Lean may be unable to read them.
   */
  use<Result>(
    header: string,
    bounds: { readonly memoryBytesMax: number; readonly signal?: AbortSignal | undefined },
    work: (snapshot: HeaderSnapshot | null, drop: () => void) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

export interface JsonDriverOptions {
  /** Default: `tried`. */
  readonly headers?: HeaderReading;
  /** For runs that write no module; a run that does says itself what it loads. Missing: each run imports. */
  readonly savedImports?: SavedImports;
}

export function openJsonDriver(
  processContext: ProcessContext,
  { headers = 'tried', savedImports }: JsonDriverOptions = {},
): LeanDriver {
  /** Allowed time for each importable header, ms. */
  const known = new Map<string, number>();
  const sessionOf = (header: string, allowedMs: number): LeanSession =>
    jsonSession(processContext, header, allowedMs, savedImports);
  return {
    name: 'json',
    candidatesPerRun: CANDIDATES_PER_RUN,
    writesObjects: true,
    ...(savedImports === undefined ? {} : { close: () => savedImports.close() }),
    async open(header, { signal, memoryBytesMax }) {
      signal?.throwIfAborted();
      const allowedMs = headers === 'in runs' ? 0 : known.get(header);
      if (allowedMs !== undefined) return { kind: 'open', session: sessionOf(header, allowedMs), headerMs: 0 };
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
      return { kind: 'open', session: sessionOf(header, headerAllowedMs), headerMs };
    },
  };
}

function jsonSession(
  processContext: ProcessContext,
  header: string,
  headerAllowedMs: number,
  savedImports: SavedImports | undefined,
): LeanSession {
  return openSession({
    header,
    pid: null,
    residentBytes: async () => 0,
    async runOnce({ body, deadlineMs, object, ...run }) {
      const common = ['--stdin', ...(await commandOptions(processContext))];
      const start = (own: Partial<LeanRun> & Pick<LeanRun, 'arguments'>): Promise<LeanRunExit> =>
        runLean({
          ...processContext,
          ...run,
          ...own,
          deadlineMs: deadlineMs + headerAllowedMs,
          arguments: [...common, ...own.arguments],
          input: `${header}\n${body}`,
        });
      if (object !== undefined) return start(objectOptions(object));
      if (savedImports === undefined) return start({ arguments: [] });
      return savedImports.use(header, run, async (snapshot, drop) => {
        let hasRead = false;
        const exit = await start({
          ...loadOptions(snapshot),
          onMessage: (message, allow, end) => {
            hasRead = true;
            run.onMessage(message, allow, end);
          },
        });
        // Every text causes a message, unless Lean cannot load what was saved.
        if (snapshot !== null && !hasRead) drop();
        return exit;
      });
    },
    end: async () => {},
  });
}
