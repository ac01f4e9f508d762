/**
 * The limits of a check, in two classes: every candidate is tried under the small limits and, if needed, once more
 * under the big ones. A candidate that used up its heartbeats is retried only if the big class allows more heartbeats.
 */

export interface Limits {
  /**
   * Lean's `maxHeartbeats` for one declaration. It counts thousands of small allocations, so it does not depend on the
   * machine.
   */
  readonly heartbeatsMax: number;
  /** Processor time for one candidate, ms. It limits work that heartbeats do not count, such as the kernel's. */
  readonly candidateTimeoutMs: number;
  readonly memoryBytesMax: number;
}

/**
 * Small class: about 0.15 s of a core. Nearly all library theorems need fewer than 200. A `repeat` over text that does
 * not parse uses up all its heartbeats, and some samples in a hundred contain one, so this limit determines the cost of
 * a batch.
 */
const SMALL_HEARTBEATS_MAX = 1_000;
/** Big class: two to three seconds. With Lean's default of 200,000 each runaway proof would take half a minute. */
const BIG_HEARTBEATS_MAX = 20_000;
/** Limits work that heartbeats hardly count, above all the kernel's. */
export const CANDIDATE_TIMEOUT_MS = 6_000;
/**
 * `import Init` uses 0.2 GB of resident memory. Mathlib needs about 6.5 GB, mostly mapped, so its users must set more.
 */
export const MEMORY_BYTES_MAX = 3_221_225_472;
/** Factor of processor time and memory between the classes. */
const BIG_FACTOR = 2;
/** For imports: Mathlib takes 5 s from a warm disk and minutes from a cold network disk. */
export const HEADER_TIMEOUT_MS = 180_000;

export interface BaseLimits {
  readonly candidateTimeoutMs: number;
  readonly memoryBytesMax: number;
  /** Heartbeats of both classes. Null or missing: the default of each class. */
  readonly heartbeatsMax?: number | null | undefined;
}

export interface LimitClasses {
  readonly small: Limits;
  readonly big: Limits;
}

export function limitClasses({ candidateTimeoutMs, memoryBytesMax, heartbeatsMax }: BaseLimits): LimitClasses {
  return {
    small: { heartbeatsMax: heartbeatsMax ?? SMALL_HEARTBEATS_MAX, candidateTimeoutMs, memoryBytesMax },
    big: {
      heartbeatsMax: heartbeatsMax ?? BIG_HEARTBEATS_MAX,
      candidateTimeoutMs: candidateTimeoutMs * BIG_FACTOR,
      memoryBytesMax: memoryBytesMax * BIG_FACTOR,
    },
  };
}
