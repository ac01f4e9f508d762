/**
 * The limits of the Lean service, which prevent a client from exhausting it. The first ones depend on the machine, the
 * others on the API.
 */

export interface LeanServeLimits {
  /** Maximum number of open check requests, including waiting ones; further requests are answered with 429. */
  readonly requestsInFlight: number;
  /** How long a request waits for its first process before it is answered with 429, ms. Kimina: 60 s. */
  readonly waitMs: number;
  /** Maximum `timeout` of a request, s. */
  readonly timeoutSecondsMax: number;
  /** Resident memory of one process, bytes. */
  readonly memoryBytesMax: number;
  /** How long a shutdown waits for open requests, ms. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: LeanServeLimits = {
  requestsInFlight: 256,
  waitMs: 60_000,
  /** Above both of Kimina's defaults (30 and 300). */
  timeoutSecondsMax: 600,
  /** Memory of one process, as in a run. `import Init` uses 0.2 GB of resident memory, Mathlib about 6.5 GB. */
  memoryBytesMax: 3_221_225_472,
  drainMs: 30_000,
};

/** Enough for about a thousand proofs of some kilobytes. */
export const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Time in which a client must send its whole request. */
export const RECEIVE_TIMEOUT_MS = 60_000;
export const SNIPPETS_MAX = 1_024;
/** Sixteen times the longest proof that this project accepts. */
export const CODE_CHARS_MAX = 262_144;
export const ID_CHARS_MAX = 1_024;
/** Maximum length of a snippet's imports. The service keeps them as long as a process has them loaded. */
export const HEADER_CHARS_MAX = 8_192;
/** All messages and goals in one answer. */
export const ANSWER_CHARS_MAX = 32 * 1024 * 1024;
/** All messages and goals of one snippet. */
export const SNIPPET_ANSWER_CHARS_MAX = 4 * 1024 * 1024;
