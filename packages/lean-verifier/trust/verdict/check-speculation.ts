/**
 * Decides when a check deserves a second run: no work is left to start, nobody waits, a process is idle, and the check
 * has taken longer than almost all before it. A process may have been swapped out, or slowed by leftovers of earlier
 * checks; a shard waits for its slowest checks. Knows nothing about verdicts.
 */
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import type { Flight } from './check-flight.ts';

/** As slow as the slowest twentieth: 4.5 % of a prover's samples run away (PrimeIntellect lean-verifier, n = 1000). */
const QUANTILE = 0.95;
/** Never sooner than this: a runaway takes two to three seconds to use up the big class's heartbeats, a copy of it as long. */
const SLOW_MS_MIN = 5_000;
const TIMES_KEPT = 512;

export interface CheckTimes {
  /** Wall time. */
  add(ms: number): void;
  /** A check that takes longer is slow, ms. */
  slowMs(): number;
}

export function openCheckTimes(): CheckTimes {
  const kept: number[] = [];
  let next = 0;
  return {
    add(ms) {
      kept[next] = ms;
      next = (next + 1) % TIMES_KEPT;
    },
    slowMs() {
      const sorted = kept.toSorted((left, right) => left - right);
      return Math.max(SLOW_MS_MIN, sorted[Math.floor(sorted.length * QUANTILE)] ?? 0);
    },
  };
}

/** Copies the slowest flights onto idle processes; if work waits for a process, ends existing copies. */
export function speculate(pool: LeanPool, flights: Iterable<Flight>, times: CheckTimes): void {
  const { processes, busy, waiting } = pool.stats();
  if (waiting > 0) for (const flight of flights) flight.dropCopy();
  if (waiting > 0 || busy >= processes) return;
  const startedBefore = performance.now() - times.slowMs();
  [...flights]
    .filter(({ startedAt, mayBeCopied }) => mayBeCopied && startedAt !== null && startedAt < startedBefore)
    .sort((left, right) => left.startedAt! - right.startedAt!)
    .slice(0, processes - busy)
    .forEach((flight) => {
      flight.copy();
    });
}
