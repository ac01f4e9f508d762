/**
 * Tracks the requests in progress: limits their number, and aborts a request if its client has disconnected, it took
 * too long, or the server shuts down.
 */
import type { ServerResponse } from 'node:http';

/** nginx's status for a client that closed its connection. It is only counted, never sent. */
export const CLIENT_GONE_STATUS = 499;

export interface Work {
  readonly signal: AbortSignal;
  /** Call it once when the answer is complete or has failed. */
  readonly end: () => void;
}

/** The reasons for ending a request, as errors of the server's API. */
export interface WorkEndings {
  tooManyRequests(inFlightMax: number): Error;
  clientLeft(): Error;
  tookTooLong(limitMs: number): Error;
  shuttingDown(): Error;
}

export interface WorkTrackerOptions {
  readonly requestsInFlight: number;
  /** Time limit from the request's body to the end of its answer, ms; null if the work has its own limits. */
  readonly requestTimeoutMs: number | null;
  /** How long a shutdown waits for open requests, ms. */
  readonly drainMs: number;
  readonly endings: WorkEndings;
  /** Called with the number of open requests whenever it changes. */
  readonly onChange: (inFlight: number) => void;
}

export class WorkTracker {
  readonly #options: WorkTrackerOptions;
  readonly #active = new Set<AbortController>();
  #whenIdle: (() => void) | null = null;

  constructor(options: WorkTrackerOptions) {
    this.#options = options;
  }

  /** `answer` is the response for which the work is done. Throws if the maximum number of requests is open. */
  begin(answer: ServerResponse): Work {
    const { requestsInFlight, requestTimeoutMs, endings, onChange } = this.#options;
    if (this.#active.size >= requestsInFlight) throw endings.tooManyRequests(requestsInFlight);
    const controller = new AbortController();
    const timer =
      requestTimeoutMs === null
        ? undefined
        : setTimeout(() => controller.abort(endings.tookTooLong(requestTimeoutMs)), requestTimeoutMs);
    const leave = () => controller.abort(endings.clientLeft());
    answer.once('close', leave);
    this.#active.add(controller);
    onChange(this.#active.size);
    const end = () => {
      clearTimeout(timer);
      answer.off('close', leave);
      // Stop work that may still run, because nothing waits for it.
      controller.abort();
      this.#active.delete(controller);
      onChange(this.#active.size);
      if (this.#active.size === 0) this.#whenIdle?.();
    };
    return { signal: controller.signal, end };
  }

  /** Resolves when no work remains. After the time limit of a shutdown, aborts the remaining work. */
  async drain(): Promise<void> {
    if (this.#active.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    const timer = setTimeout(() => {
      for (const controller of this.#active) controller.abort(this.#options.endings.shuttingDown());
    }, this.#options.drainMs);
    await idle;
    clearTimeout(timer);
  }
}
