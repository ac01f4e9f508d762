/**
 * Runs work unless the same work is in progress; then the new work is skipped, not postponed. For copies of data that
 * will soon be outdated.
 */

/** Returns a function that starts the work unless the previous one is running. The work must report its own errors. */
export function oneAtATime<T>(work: ((item: T) => Promise<void>) | undefined): (item: T) => void {
  let busy = false;
  return (item) => {
    if (busy || work === undefined) return;
    busy = true;
    work(item)
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  };
}
