/**
 * The limits of a check, in two classes: every candidate is tried under the small limits, and if needed once more under
 * the big ones. What used up its heartbeats is tried once more where the big class has more of them.
 */

export interface Limits {
  /** Lean's `maxHeartbeats` for one declaration: thousands of small allocations, so it does not depend on the machine. */
  readonly heartbeatsMax: number;
  /** Processor time for one candidate, ms: for what heartbeats do not bound, such as the kernel. */
  readonly candidateTimeoutMs: number;
  readonly memoryBytesMax: number;
}

/**
 * Small class: about 0.15 s of a core. All 1,052 theorems of the library need fewer than 1,000 and all but one fewer than 200.
 * A `repeat` over text that does not parse runs until its heartbeats are used up, and some samples in a hundred of a small
 * model hold one, so this bound decides what a batch costs.
 */
const SMALL_HEARTBEATS_MAX = 1_000;
/** Big class: two to three seconds here. Lean's own default of 200,000 would be half a minute for each runaway. */
const BIG_HEARTBEATS_MAX = 20_000;
/** Time limit for what heartbeats hardly limit, the kernel above all. */
export const CANDIDATE_TIMEOUT_MS = 6_000;
/** `import Init` alone is 0.2 GB resident; Mathlib is about 6.5 GB, mostly mapped: its users set more. */
export const MEMORY_BYTES_MAX = 3_221_225_472;
/** The big class has this many times the processor time and memory. */
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
