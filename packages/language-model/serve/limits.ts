/**
 * The limits of the server, so that no client can exhaust it. The first ones depend on the machine, the others on the
 * API.
 */

export interface ServeLimits {
  /** Open completions and embeddings requests; one more is answered with 429. */
  readonly requestsInFlight: number;
  /** From the request's body to the end of its answer. */
  readonly requestTimeoutMs: number;
  /** How long a shutdown waits for open requests. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: ServeLimits = {
  /** The remote engine's bound, so that one worker does not meet a 429. */
  requestsInFlight: 256,
  requestTimeoutMs: 600_000,
  drainMs: 30_000,
};

/** Thousands of prompts of some kilobytes. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Time for a client to send its request. */
export const RECEIVE_TIMEOUT_MS = 60_000;
/** As OpenAI's. */
export const CHOICES_PER_PROMPT_MAX = 128;
/** As OpenAI's for embeddings. */
export const INPUTS_MAX = 2_048;
/** Prompts times `n`. */
export const CHOICES_MAX = 4_096;
