/**
 * Handles SIGINT, SIGTERM and SIGHUP for a command that cleans up before it ends. The first signal aborts `signal`; the
 * command stops its work, removes its files and exits with 128 plus the signal's number, as in a shell. A second signal
 * ends the process at once.
 */
import { constants } from 'node:os';
import { lostOutputCode } from './output-closed.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/** The reason for stopping: the process received a signal. */
export class Stopped extends Error {
  readonly signalName: StopSignal;

  constructor(signalName: StopSignal) {
    super(`ended by ${signalName}`);
    this.signalName = signalName;
  }

  get exitCode(): number {
    return 128 + constants.signals[this.signalName];
  }
}

/** Returns an abort signal for the process's stop; its reason is a `Stopped`. Call it before any long work. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const name of SIGNALS)
    process.on(name, () => {
      const stopped = new Stopped(name);
      if (stopping.signal.aborted) process.exit(stopped.exitCode);
      stopping.abort(stopped);
    });
  return stopping.signal;
}

/**
 * Returns the work's exit code; after a stop 128 plus the signal's number, or the code of an output that cannot be
 * written. Rethrows other errors.
 */
export async function codeOfStoppable(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    const lost = lostOutputCode();
    if (lost !== null) return lost;
    console.error(error.message);
    return error.exitCode;
  }
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
