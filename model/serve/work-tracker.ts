/**
 * The requests that the engine works for: how many there may be, and everything that ends one early (its client is gone, it
 * took too long, the server shuts down). Whatever it is, the request's signal says so and the engine stops.
 */
import type { FastifyReply } from 'fastify';
import { ApiError, shuttingDown, tookTooLong, tooManyRequests } from './api-error.ts';
import type { ServeLimits } from './limits.ts';
import type { ServeMetrics } from './serve-metrics.ts';

/** nginx's status for a client that closed its connection; it is counted, nobody receives it. */
export const CLIENT_GONE_STATUS = 499;

export interface Work {
  readonly signal: AbortSignal;
  /** To be called once when the answer is complete or has failed. */
  readonly end: () => void;
}

export class WorkTracker {
  readonly #limits: ServeLimits;
  readonly #metrics: ServeMetrics;
  readonly #active = new Set<AbortController>();
  #whenIdle: (() => void) | null = null;

  constructor(limits: ServeLimits, metrics: ServeMetrics) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /** Throws the 429 where enough is under way. */
  begin(reply: FastifyReply): Work {
    const { requestsInFlight, requestTimeoutMs } = this.#limits;
    if (this.#active.size >= requestsInFlight) throw tooManyRequests(requestsInFlight);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(tookTooLong(requestTimeoutMs)), requestTimeoutMs);
    const leave = () => controller.abort(new ApiError(CLIENT_GONE_STATUS, 'invalid_request_error', 'The client left.'));
    reply.raw.once('close', leave);
    this.#active.add(controller);
    this.#metrics.requestsInFlight.set(this.#active.size);
    const end = () => {
      clearTimeout(timer);
      reply.raw.off('close', leave);
      // Nobody waits for whatever may still run.
      controller.abort();
      this.#active.delete(controller);
      this.#metrics.requestsInFlight.set(this.#active.size);
      if (this.#active.size === 0) this.#whenIdle?.();
    };
    return { signal: controller.signal, end };
  }

  /** Resolves when nothing is under way; after the time that a shutdown may take, what is left is told to stop. */
  async drain(): Promise<void> {
    if (this.#active.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    const timer = setTimeout(() => {
      for (const controller of this.#active) controller.abort(shuttingDown());
    }, this.#limits.drainMs);
    await idle;
    clearTimeout(timer);
  }
}
