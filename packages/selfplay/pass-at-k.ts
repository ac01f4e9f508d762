/**
 * Estimates pass@k: the probability that at least one of k samples proves a statement, averaged over statements. There are two
 * estimators: STP's, which cuts the samples into blocks (docs/algorithm.md, section 10), and the unbiased one over all subsets of k
 * samples (Chen et al. 2021, arXiv 2107.03374), with bootstrap intervals over the statements. All results are shares of
 * 1.
 *
 * A sample without a verdict counts as a failure in both, as in STP; the caller refuses lists with too many of them.
 */
import type { PassAtK } from '@stp/config/records';
import { bootstrapIntervals } from './bootstrap.ts';
import type { Random } from './random.ts';
import type { SampleOutcomes } from './sample-outcomes.ts';

/** Sample budgets of STP's tables. */
export const STP_BUDGETS = [1, 32, 128, 640, 3_200, 6_400, 25_600] as const;
/** STP gives a standard deviation from this many blocks on. */
const BLOCKS_FOR_DEVIATION = 4;
/**
 * With fewer samples for each statement the budgets are powers of two: STP's would leave one or two points of a curve.
 */
const SMALL_SAMPLES = 128;

/** A number so small that 1 minus it is 1. */
const LOST = Number.EPSILON / 8;

/** How a last block of fewer than k samples counts: not at all, or as a full one, as in STP. */
export type ShortBlock = 'drop' | 'count';

export interface BlockEstimate {
  readonly k: number;
  readonly mean: number;
  /** Population standard deviation over the blocks; null for fewer than four. */
  readonly deviation: number | null;
}

/** Returns STP's budgets up to `samples`, in order. */
export function stpBudgets(samples: number): number[] {
  return STP_BUDGETS.filter((k) => k <= samples);
}

/** Returns budgets to show for this many samples of each statement; the last one is all samples. */
export function budgetsFor(samples: number): number[] {
  if (samples < 1) return [];
  const smaller =
    samples < SMALL_SAMPLES
      ? Array.from({ length: Math.ceil(Math.log2(samples)) }, (_, power) => 2 ** power)
      : stpBudgets(samples - 1);
  return [...smaller, samples];
}

/**
 * STP's estimator. Cuts samples 0 … `samples` − 1 into consecutive disjoint blocks of `k`. A statement counts in a
 * block if any of its samples there succeeded. Returns the mean over the blocks of the share of statements that count.
 */
export function blockEstimate(
  outcomes: readonly SampleOutcomes[],
  k: number,
  samples: number,
  shortBlock: ShortBlock,
): BlockEstimate {
  const blocks = shortBlock === 'drop' ? Math.floor(samples / k) : Math.ceil(samples / k);
  const shares = Array.from({ length: blocks }, (_, block) => {
    const end = Math.min((block + 1) * k, samples);
    return outcomes.filter((one) => one.successes(block * k, end) > 0).length / outcomes.length;
  });
  const average = mean(shares);
  const deviation =
    blocks < BLOCKS_FOR_DEVIATION ? null : Math.sqrt(mean(shares.map((share) => (share - average) ** 2)));
  return { k, mean: average, deviation };
}

/**
 * Returns 1 − C(n − c, k) / C(n, k): the share of the subsets of `k` out of `n` samples, `c` of them successes, that
 * contain a success. Computed as a product of ratios below one, which neither overflows nor cancels.
 *
 * @param k at most n
 */
export function unbiasedPassAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  // C(n−c, k) / C(n, k) is the same product over c as over k; the shorter one is used.
  const terms = Math.min(c, k);
  const other = Math.max(c, k);
  let allFail = 1;
  // Once the product is too small to change 1 minus it, the remaining factors do not matter.
  for (let term = 0; term < terms && allFail > LOST; term++) allFail *= 1 - other / (n - term);
  return 1 - allFail;
}

/**
 * Returns the unbiased estimate for every budget with its 95 % interval; `random` drives the bootstrap. Statements with
 * equally many successes form one class. The cost depends on the number of classes, at most `samples` + 1.
 */
export async function passAtK(
  outcomes: readonly SampleOutcomes[],
  budgets: readonly number[],
  samples: number,
  random: Random,
): Promise<PassAtK[]> {
  if (outcomes.length === 0) return [];
  const classes = new Map<number, number>();
  for (const one of outcomes) {
    const successes = one.successes(0, samples);
    classes.set(successes, (classes.get(successes) ?? 0) + 1);
  }
  const ordered = [...classes].sort(([a], [b]) => a - b);
  const counts = ordered.map(([, count]) => count);
  const columns = budgets.map((k) => ordered.map(([successes]) => unbiasedPassAtK(samples, successes, k)));
  const intervals = await bootstrapIntervals(counts, columns, random);
  return budgets.map((k, budget) => {
    const sum = columns[budget]!.reduce((part, value, one) => part + value * counts[one]!, 0);
    return { k, mean: sum / outcomes.length, ...intervals[budget]! };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
