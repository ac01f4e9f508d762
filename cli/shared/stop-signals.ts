/**
 * SIGINT, SIGTERM and SIGHUP for a command that cleans up before it ends. The first one aborts `signal`; the command stops
 * its work, removes its files and exits with 128 plus the signal's number, as in a shell. A second one ends the
 * process at once.
 */
import { constants } from 'node:os';
import { OUTPUT_CLOSED_CODE, readerIsGone } from './output-closed.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

/** Why work was given up: the process was asked to end. */
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

/** Returns a signal of the process's stop. Call it before anything long is begun. The signal's reason is a `Stopped`. */
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

/** Returns the exit code of the work; where the stop ended it, 128 plus the signal's number, or that of a closed pipe. Throws what else it throws. */
export async function codeOfStoppable(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (readerIsGone()) return OUTPUT_CLOSED_CODE;
    console.error(error.message);
    return error.exitCode;
  }
}

/** Resolves when the signal has come. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
