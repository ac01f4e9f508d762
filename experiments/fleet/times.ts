/** How long simulated proofs take: times recorded from Lean, scaled, with runaways among them. */
import { randomStream } from '../../selfplay/random.ts';

/**
 * Quantiles of `checkMs`, ms: 23,696 checks of model text by Lean 4.35 over the core library on a two-core laptop. The last
 * four are those of `RECORDED_SHARES`; between two of them times are linear.
 */
const RECORDED_MS = [
  0, 0.02, 3.75, 6.94, 8.39, 9.85, 11.22, 12.7, 14.51, 16.65, 19.31, 22.51, 26.15, 30.62, 36.24, 43.33, 52.49, 65.07,
  85.18, 129.25, 172.7, 290.65, 795.78, 2742.92,
] as const;
const RECORDED_SHARES = [...Array.from({ length: 20 }, (_, index) => index / 20), 0.97, 0.99, 0.999, 1];

export interface ProofTimes {
  readonly seed: number;
  /** What recorded times are multiplied by. */
  readonly scale: number;
  /** Share of proofs that run until they are stopped (4.5 % of a prover's, stp.md §8). */
  readonly runawayShare: number;
  /** When they are stopped, ms. */
  readonly runawayMs: number;
}

/** Time of one proof, ms: the same names always give the same time. */
export function proofMs(times: ProofTimes, shard: string, sample: string): number {
  const random = randomStream(times.seed, 'proof', shard, sample);
  if (random.next() < times.runawayShare) return times.runawayMs;
  return Math.min(times.runawayMs, times.scale * recordedQuantile(random.next()));
}

function recordedQuantile(share: number): number {
  const above = RECORDED_SHARES.findIndex((one) => one > share);
  const [from, to] = [RECORDED_SHARES[above - 1]!, RECORDED_SHARES[above]!];
  const [low, high] = [RECORDED_MS[above - 1]!, RECORDED_MS[above]!];
  return low + ((share - from) / (to - from)) * (high - low);
}
