/**
 * Tracks the requests that a server works on: limits their number, and ends one early if its client has disconnected,
 * it took too long, or the server shuts down. In each case the request's signal aborts and the work stops.
 */
import type { ServerResponse } from 'node:http';

/** nginx's status for a client that closed its connection; it is counted and never sent. */
export const CLIENT_GONE_STATUS = 499;

export interface Work {
  readonly signal: AbortSignal;
  /** Call it once when the answer is complete or has failed. */
  readonly end: () => void;
}

/** Ways in which a request ends, as the errors of the server's own API. */
export interface WorkEndings {
  tooManyRequests(inFlightMax: number): Error;
  clientLeft(): Error;
  tookTooLong(limitMs: number): Error;
  shuttingDown(): Error;
}

export interface WorkTrackerOptions {
  readonly requestsInFlight: number;
  /** From the request's body to the end of its answer; null where the work has limits of its own. */
  readonly requestTimeoutMs: number | null;
  /** How long a shutdown waits for open requests. */
  readonly drainMs: number;
  readonly endings: WorkEndings;
  /** Called with the number of open requests, whenever it changes. */
  readonly onChange: (inFlight: number) => void;
}

export class WorkTracker {
  readonly #options: WorkTrackerOptions;
  readonly #active = new Set<AbortController>();
  #whenIdle: (() => void) | null = null;

  constructor(options: WorkTrackerOptions) {
    this.#options = options;
  }

  /** `answer`: the response that the work is for. Throws if the maximum number is open. */
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
      // No code waits for work that may still run.
      controller.abort();
      this.#active.delete(controller);
      onChange(this.#active.size);
      if (this.#active.size === 0) this.#whenIdle?.();
    };
    return { signal: controller.signal, end };
  }

  /** Resolves when no work is left; after the time limit of a shutdown it stops the remaining work. */
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
