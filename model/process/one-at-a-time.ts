/** Work that is left out, not put off, while the same work is still going on: for copies of what will soon be newer. */

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
