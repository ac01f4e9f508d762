/**
 * The server's limits, so that no client can exhaust it. The first ones depend on the machine, the others on the API.
 */

export interface ServeLimits {
  /** Maximum open requests for completions and embeddings; a further one is answered with 429. */
  readonly requestsInFlight: number;
  /** Maximum time from the request's body to the end of its answer. */
  readonly requestTimeoutMs: number;
  /** How long a shutdown waits for open requests. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: ServeLimits = {
  /** The remote engine's limit, so that one worker gets no 429. */
  requestsInFlight: 256,
  requestTimeoutMs: 600_000,
  drainMs: 30_000,
};

/** Enough for thousands of prompts of some kilobytes. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Time for a client to send its request. */
export const RECEIVE_TIMEOUT_MS = 60_000;
/** OpenAI's limit. */
export const CHOICES_PER_PROMPT_MAX = 128;
/** OpenAI's limit for embeddings. */
export const INPUTS_MAX = 2_048;
/** Maximum of prompts times `n`. */
export const CHOICES_MAX = 4_096;
