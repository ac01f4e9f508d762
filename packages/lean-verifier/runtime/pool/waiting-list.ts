/**
 * Decides which waiting request gets a session next: first come, first served.
 * Exception: a request with a warm header may overtake one for which a warm process would have to end, a limited number
 * of times. Knows nothing about processes.
 */
import { StpError } from '@stp/base';
import type { LeaseOptions } from './lean-pool.ts';

/** An import costs as much as some thirty small checks: so often may others with a warm header go before. */
const OVERTAKEN_MAX = 32;
/** Requests behind the first that are searched for a warm header, so that a turn costs the same however many wait. */
const LOOK_BEHIND = 64;

export interface Request {
  readonly header: string;
  /** Asks for a process that has checked nothing yet. */
  readonly fresh: boolean;
}

interface Waiter<T> extends Request {
  overtaken: number;
  readonly give: (turn: T) => void;
  readonly fail: (error: unknown) => void;
}

export interface WaitingList<T> {
  readonly size: number;
  /** Resolves with what `give` got. Rejects with the signal's reason, with STP1206 after `waitMsMax`, or as `failAll` says. */
  wait(request: Request, options: Pick<LeaseOptions, 'signal' | 'waitMsMax'>): Promise<T>;
  /**
   * Takes the next request off the list, or null if none waits. `price`: the cost of serving it now: `none` if its
   * header is warm, `process` for one more process, `eviction` if a warm one would have to end.
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
          give: (turn) => {
            leave();
            resolve(turn);
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
