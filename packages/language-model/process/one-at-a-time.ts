/**
 * Runs work only if the same work is not in progress; otherwise it skips the work, not postpones it: for copies of data
 * that will soon be newer.
 */

/** A function that starts the work unless the last has not ended. What the work throws is its own to tell. */
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
