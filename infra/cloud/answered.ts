/**
 * Limits the time of calls to client libraries. Their option `timeout` is not enough: over REST the TPU client ignores
 * it, and would wait without end on a silent connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** `google.rpc.Code` */
const DEADLINE_EXCEEDED = 4;

/**
 * Returns the answer, or throws an error with the code DEADLINE_EXCEEDED after `limitMs`. Cancels the call if possible.
 */
export async function answered<T>(limitMs: number, call: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = sleep(limitMs, null, { signal: ended.signal }).then(() => {
    throw Object.assign(new Error(`no answer within ${limitMs} ms`), { code: DEADLINE_EXCEEDED });
  });
  // The promise that settles second may have no handler.
  late.catch(() => undefined);
  call.catch(() => undefined);
  try {
    return await Promise.race([call, late]);
  } finally {
    ended.abort();
    // Has no effect on a finished call.
    (call as { cancel?: () => void }).cancel?.();
  }
}

/** Returns a whole paged list; each page has the time limit of one call. */
export async function allAnswered<T>(limitMs: number, list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  const iterator = list[Symbol.asyncIterator]();
  for (;;) {
    const next = await answered(limitMs, iterator.next());
    if (next.done === true) return all;
    all.push(next.value);
  }
}
