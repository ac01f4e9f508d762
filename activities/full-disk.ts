/**
 * A full disk: the one failure of writing that passes without a change to the run, once somebody has freed space. The
 * activity is tried again after growing pauses, so that a person has time, but not forever: then the round waits for an
 * update.
 */

/** Errors of the operating system that say so. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const MINUTE_MS = 60_000;
/** Before the second attempt, the third …: with the five attempts that activities have (`workflows/control/activity-proxies.ts`) 81 minutes. */
const PAUSES_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);

/** Is it the reason of the failure, or of what led to it? */
export function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && FULL.has(cause.code)) return true;
  return false;
}

/** @param attempt 1, 2, …: the one that failed */
export const pauseForSpace = (attempt: number): number => PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1]!;
