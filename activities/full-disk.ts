/**
 * Handles a full disk: the only write failure that passes without a change to the run, once somebody has freed space.
 * The activity is retried after growing pauses, so a person has time to act. After the last retry the round waits for
 * an update.
 */

const MINUTE_MS = 60_000;
/**
 * Pauses before the second attempt, the third, and so on. With the five attempts that activities have
 * (`workflows/control/activity-proxies.ts`) they last 81 minutes together.
 */
const PAUSES_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);

/** @param attempt number of the failed attempt, from 1 */
export const pauseForSpace = (attempt: number): number => PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1]!;
