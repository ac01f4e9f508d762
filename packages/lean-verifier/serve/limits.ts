/**
 * The limits of the Lean service, so that no client can exhaust it. The first ones depend on the machine, the others on
 * the API.
 */

export interface LeanServeLimits {
  /** Open check requests, waiting ones included; one more is answered with 429. */
  readonly requestsInFlight: number;
  /** How long a request waits for its first process before it is answered with 429. Kimina: 60 s. */
  readonly waitMs: number;
  /** Longest `timeout` that a request may ask for, seconds. */
  readonly timeoutSecondsMax: number;
  /** Resident memory of one process, bytes. */
  readonly memoryBytesMax: number;
  /** How long a shutdown waits for open requests. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: LeanServeLimits = {
  requestsInFlight: 256,
  waitMs: 60_000,
  /** Above both of Kimina's defaults (30 and 300). */
  timeoutSecondsMax: 600,
  /** Memory of one process, the same as in a run: `import Init` is 0.2 GB resident, Mathlib about 6.5. */
  memoryBytesMax: 3_221_225_472,
  drainMs: 30_000,
};

/** Some thousand proofs of some kilobytes. */
export const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Time for a client to send its request. */
export const RECEIVE_TIMEOUT_MS = 60_000;
export const SNIPPETS_MAX = 1_024;
/** Sixteen times the longest proof that this project takes. */
export const CODE_CHARS_MAX = 262_144;
export const ID_CHARS_MAX = 1_024;
/** Imports of one snippet. They are kept as long as a process has them. */
export const HEADER_CHARS_MAX = 8_192;
/** Texts of all messages and goals in one answer. */
export const ANSWER_CHARS_MAX = 32 * 1024 * 1024;
/** Texts of the messages and goals of one snippet. */
export const SNIPPET_ANSWER_CHARS_MAX = 4 * 1024 * 1024;
