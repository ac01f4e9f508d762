/**
 * Decides which waiting request gets a session next. Requests are served in order of arrival, with one exception: a
 * request whose header is warm may overtake a request that would evict a warm process, but only a limited number of
 * times. This file does not handle processes.
 */
import { StpError } from '@stp/base';
import type { LeaseOptions } from './lean-pool.ts';

/**
 * A header import costs as much as about thirty small checks, so this many requests with a warm header may overtake a
 * request.
 */
const OVERTAKEN_MAX = 32;
/**
 * Number of requests behind the first that are searched for a warm header. It bounds the cost of a decision when many
 * wait.
 */
const LOOK_BEHIND = 64;

export interface Request {
  readonly header: string;
  /** The request needs a process that has checked nothing yet. */
  readonly fresh: boolean;
}

interface Waiter<T> extends Request {
  overtaken: number;
  readonly give: (grant: T) => void;
  readonly fail: (error: unknown) => void;
}

export interface WaitingList<T> {
  readonly size: number;
  /**
   * Resolves with the value given to `give`. Rejects with the signal's reason, with STP1206 after `waitMsMax`, or with
   * the error of `failAll`.
   */
  wait(request: Request, options: Pick<LeaseOptions, 'signal' | 'waitMsMax'>): Promise<T>;
  /**
   * Removes and returns the next request, or returns null if none waits. `price` is the cost of serving a request now:
   * `none` if its header is warm, `process` if a new process is needed, `eviction` if a warm process would have to end.
   */
  take(
    price: (request: Request) => 'none' | 'process' | 'eviction',
  ): Pick<Waiter<T>, 'header' | 'fresh' | 'give'> | null;
  failAll(error: unknown): void;
}

export function openWaitingList<T>(): WaitingList<T> {
  const list: Waiter<T>[] = [];

  function remove(waiter: Waiter<T>): void {
    const index = list.indexOf(waiter);
    if (index >= 0) list.splice(index, 1);
  }

  return {
    get size() {
      return list.length;
    },
    wait(request, { signal, waitMsMax }) {
      return new Promise<T>((resolve, reject) => {
        let timer: NodeJS.Timeout | null = null;
        const leave = (): void => {
          remove(waiter);
          if (timer !== null) clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter<T> = {
          ...request,
          overtaken: 0,
          give: (grant) => {
            leave();
            resolve(grant);
          },
          fail: (error) => {
            leave();
            reject(error);
          },
        };
        const onAbort = (): void => waiter.fail(signal!.reason);
        signal?.addEventListener('abort', onAbort);
        if (waitMsMax !== undefined) timer = setTimeout(() => waiter.fail(nobodyFree(waitMsMax)), waitMsMax);
        list.push(waiter);
      });
    },
    take(price) {
      const first = list[0];
      if (first === undefined) return null;
      let next = first;
      if (first.overtaken < OVERTAKEN_MAX && price(first) === 'eviction') {
        next = list.slice(1, LOOK_BEHIND).find((waiter) => price(waiter) === 'none') ?? first;
        if (next !== first) first.overtaken += 1;
      }
      remove(next);
      return next;
    },
    failAll(error) {
      for (const waiter of [...list]) waiter.fail(error);
    },
  };
}

function nobodyFree(waitMsMax: number): StpError {
  return new StpError(
    'STP1206',
    `no Lean process was free within ${waitMsMax} ms`,
    'Try again later, or give the node more processes.',
    { retryable: true, facts: { waitMsMax } },
  );
}
