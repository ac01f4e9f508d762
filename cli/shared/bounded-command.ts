/** Runs a command until it ends, a signal stops it, or its wall time is over. A signal also sets the exit code. */
import { codeOfStoppable, stopSignal } from './stop-signals.ts';

/** The reason for stopping at the end of a command's time. */
export class TimeIsUp extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`the ${seconds} seconds of this command are over`);
    this.seconds = seconds;
  }
}

/** Returns the exit code of `work`, or 128 plus the signal's number. Without `seconds` there is no limit. */
export async function runBounded(
  seconds: number | undefined,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = stopSignal();
  const limit = new AbortController();
  const timer =
    seconds === undefined ? undefined : setTimeout(() => limit.abort(new TimeIsUp(seconds)), 1_000 * seconds);
  try {
    return await codeOfStoppable(() => work(AbortSignal.any([stop, limit.signal])));
  } finally {
    clearTimeout(timer);
  }
}
