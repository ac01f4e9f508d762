/** Splits streams into pieces: the items that are processed together, and the results that are written together. */

/** The items in order, `size` at a time; the last batch may be shorter. One batch is in memory. */
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

/** The next `count` items, fewer at the end; the others stay for the next call. */
export async function* nextOf<T>(items: AsyncIterator<T>, count: number): AsyncGenerator<T> {
  for (let taken = 0; taken < count; taken++) {
    const next = await items.next();
    if (next.done) return;
    yield next.value;
  }
}
