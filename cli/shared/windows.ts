/**
 * Processes a stream in windows: takes the available items together, works on windows in parallel, and yields results
 * in order.
 */

/**
 * Groups the items in order: a window has the items that come within `lingerMs` of its first, at most `size`. Items
 * that come while no window is requested wait in the source. If the source fails, its earlier items come first.
 */
export async function* windowsOf<T>(items: AsyncIterable<T>, size: number, lingerMs: number): AsyncGenerator<T[]> {
  const source = items[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<T>> | null = null;
  const next = (): Promise<IteratorResult<T>> => {
    if (asked === null) {
      asked = source.next();
      // It may reject before any code awaits it.
      asked.catch(() => undefined);
    }
    return asked;
  };
  for (;;) {
    const first = await next();
    asked = null;
    if (first.done) return;
    const window = [first.value];
    let failure: { readonly error: unknown } | null = null;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, lingerMs, null);
    });
    try {
      while (window.length < size) {
        const result = await Promise.race([next(), late]);
        if (result === null) break;
        if (result.done) {
          yield window;
          return;
        }
        asked = null;
        window.push(result.value);
      }
    } catch (error) {
      failure = { error };
    } finally {
      clearTimeout(timer);
    }
    yield window;
    if (failure !== null) throw failure.error;
  }
}

/**
 * Yields the results of `work` in the order of the items, each once all earlier ones were yielded. At most `atOnce`
 * items are in work or wait to be yielded. If the source fails, the results of started items come first. In every case
 * it waits for all started work.
 */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const source = items[Symbol.asyncIterator]();
  const begun: Promise<Result>[] = [];
  type Read = { readonly read: IteratorResult<Item> } | { readonly error: unknown };
  let reading: Promise<Read> | null = null;
  let hasEnded = false;
  let failure: { readonly error: unknown } | null = null;
  try {
    for (;;) {
      if (!hasEnded && begun.length < atOnce)
        reading ??= source.next().then(
          (read) => ({ read }),
          (error: unknown) => ({ error }),
        );
      const told = begun[0]?.then((result) => ({ result }));
      const awaited = [told, reading].filter((one) => one !== null && one !== undefined);
      if (awaited.length === 0) break;
      const event = await Promise.race(awaited);
      if ('result' in event) {
        void begun.shift();
        yield event.result;
        continue;
      }
      reading = null;
      if ('read' in event && event.read.done !== true) {
        const task = work(event.read.value);
        task.catch(() => undefined);
        begun.push(task);
        continue;
      }
      hasEnded = true;
      if ('error' in event) failure = event;
    }
    if (failure !== null) throw failure.error;
  } finally {
    await Promise.allSettled(begun);
  }
}
