/** Runs work on many items, a limited number of them at once. */

/**
 * Works on the items as they come, at most `width` at once; the results are in the order of the items. The first failure
 * aborts the signal that `work` gets, and is thrown when all that was begun has ended: nothing works on behind the back of
 * the next attempt. Rejects with the signal's reason where that is aborted.
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
