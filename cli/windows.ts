/**
 * Processes a stream in windows: takes the available items together, works on windows in parallel, yields results in
 * order.
 */

/**
 * The items in order, as many together as come within `lingerMs` of the first, `size` at most. What comes while nobody asks waits
 * in the source. Where the source fails, what it gave before comes first.
 */
export async function* windowsOf<T>(items: AsyncIterable<T>, size: number, lingerMs: number): AsyncGenerator<T[]> {
  const source = items[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<T>> | null = null;
  const next = (): Promise<IteratorResult<T>> => {
    if (asked === null) {
      asked = source.next();
      // It may fail while no code waits for it.
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
 * What `work` makes of the items, in their order, each as soon as those before it are told; `atOnce` items at most are worked on or
 * wait to be told. Where the source fails, what was begun is told first. Waits for all that was begun, however it ends.
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
