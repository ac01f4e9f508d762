/** Splits streams into batches. */

/** Yields the items in order, `size` at a time; the last batch may be shorter. One batch is in memory. */
export async function* batchesOf<T>(items: Iterable<T> | AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
