/**
 * Grants permits for a resource that only a limited number of tasks in this process may use at once, in the order of
 * the requests.
 */

interface Waiter {
  readonly width: number;
  readonly begin: () => void;
}

export class Semaphore {
  #running = 0;
  readonly #waiting = new Set<Waiter>();

  /**
   * Runs `work` once fewer than `width` permits are in use and no earlier request waits. Rejects with the error of
   * `work`, or with the signal's reason if that aborts before.
   */
  async run<T>(width: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#permit(width, signal);
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  /**
   * Calls `begin` once a permit is granted, which may be at once. The caller must return it with `give`. The returned
   * function withdraws the request; it has no effect after `begin` was called.
   */
  take(width: number, begin: () => void): () => void {
    const waiter: Waiter = { width, begin };
    this.#waiting.add(waiter);
    this.#next();
    return () => {
      if (this.#waiting.delete(waiter)) this.#next();
    };
  }

  give(): void {
    this.#running--;
    this.#next();
  }

  #permit(width: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const leave = this.take(width, () => {
        stop.abort();
        resolve();
      });
      signal?.addEventListener(
        'abort',
        () => {
          leave();
          reject(signal.reason);
        },
        { signal: stop.signal },
      );
    });
  }

  #next(): void {
    for (const first of this.#waiting) {
      if (this.#running >= first.width) return;
      this.#waiting.delete(first);
      this.#running++;
      first.begin();
    }
  }
}
