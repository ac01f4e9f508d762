/** Work of this process of which only so much may run at once, whoever asks for it, in the order it came. */

interface Waiter {
  readonly width: number;
  readonly begin: () => void;
}

export class Turns {
  private running = 0;
  private readonly waiting: Waiter[] = [];

  /**
   * Runs `work` when fewer than `width` run, and nobody waits who came before. Rejects with what it rejects with, or with the
   * signal's reason where that is aborted before its turn.
   */
  async run<T>(width: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.turn(width, signal);
    try {
      return await work();
    } finally {
      this.running--;
      this.next();
    }
  }

  private turn(width: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        this.next();
        reject(signal!.reason);
      };
      const waiter: Waiter = {
        width,
        begin: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(waiter);
      this.next();
    });
  }

  private next(): void {
    for (let first = this.waiting[0]; first !== undefined && this.running < first.width; first = this.waiting[0]) {
      this.waiting.shift();
      this.running++;
      first.begin();
    }
  }
}
