/** Runs work on many items, with limited concurrency. */

/**
 * Processes items as they arrive, at most `width` concurrently. Results are in the order of the items. The first
 * failure aborts the signal that `work` receives, and is thrown once all started work has ended, so that nothing keeps
 * running during a retry. Rejects with the signal's reason if that aborts.
 */
export async function mapConcurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal, index: number) => Promise<Result>,
): Promise<Result[]> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const source = each(items);
  const results: Result[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    try {
      while (!either.aborted) {
        const next = await source.next();
        if (next.done || either.aborted) return;
        const index = begun++;
        results[index] = await work(next.value, either, index);
      }
    } catch (error) {
      if (!either.aborted) failure.abort(error);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  await source.return(undefined);
  either.throwIfAborted();
  return results;
}

async function* each<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
