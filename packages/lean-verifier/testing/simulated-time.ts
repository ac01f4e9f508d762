/**
 * Runs work that waits on timers to its end on a simulated clock, and calls an inspection after every event. Requires
 * fake timers.
 */
import { vi } from 'vitest';

/** Far more events than any of these tests needs. */
const EVENTS_MAX = 200_000;

/** Resolves with the result of `work`. Calls `look` after every fired timer. */
export async function simulate<T>(work: Promise<T>, look: () => void = () => {}): Promise<T> {
  let over = false;
  const watched = work.finally(() => {
    over = true;
  });
  watched.catch(() => {});
  for (let events = 0; !over; events += 1) {
    if (events > EVENTS_MAX) throw new Error('it comes to no end');
    await vi.advanceTimersToNextTimerAsync();
    look();
  }
  return watched;
}

export function elapse(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
