/**
 * Percentile bootstrap (Efron 1979) of weighted means over classes of equal values. Drawing n values again with
 * replacement gives each class a multinomial number of draws, so a resampling costs as much as there are classes, not
 * values: a hundred thousand statements of 128 samples have 129 classes. The same draws serve every column of values.
 */
import { setImmediate } from 'node:timers/promises';
import type { Random } from './random.ts';

/** Resamplings of a bootstrap: 50 of them lie beyond each end of a 95 % interval. */
const RESAMPLINGS = 2_000;
const TAIL = 0.025;
/** Class draws before the event loop gets control: some tens of milliseconds, far less than the heartbeat interval. */
const DRAWS_PER_TURN = 100_000;

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Computes 95 % intervals of the mean of each column. Gives control to the event loop from time to time, since
 * thousands of classes take seconds.
 *
 * @param counts number of values that each class stands for, at least 1
 * @param columns values of the classes, one list for each column, each as long as `counts`
 */
export async function bootstrapIntervals(
  counts: readonly number[],
  columns: readonly (readonly number[])[],
  random: Random,
): Promise<Interval[]> {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const draw = multinomial(counts, total, random);
  const resamplingsPerTurn = Math.ceil(DRAWS_PER_TURN / counts.length);
  const means = columns.map(() => new Float64Array(RESAMPLINGS));
  for (let resampling = 0; resampling < RESAMPLINGS; resampling++) {
    if (resampling % resamplingsPerTurn === 0) await setImmediate();
    const drawn = draw();
    for (const [column, values] of columns.entries()) {
      let sum = 0;
      for (let one = 0; one < drawn.length; one++) sum += drawn[one]! * values[one]!;
      means[column]![resampling] = sum / total;
    }
  }
  const tail = Math.floor(TAIL * RESAMPLINGS);
  return means.map((column) => {
    column.sort();
    return { lower: column[tail]!, upper: column[RESAMPLINGS - 1 - tail]! };
  });
}

/**
 * Returns a function that draws `total` times among classes in proportion to their counts, and returns the number of
 * draws of each class. It fills the same array every time. It proceeds class by class: given the earlier classes, the
 * next number is binomial.
 */
export function multinomial(counts: readonly number[], total: number, random: Random): () => Float64Array {
  const logFactorial = new Float64Array(total + 1);
  for (let n = 2; n <= total; n++) logFactorial[n] = logFactorial[n - 1]! + Math.log(n);
  const drawn = new Float64Array(counts.length);
  let countsLeft = total;
  const chances = counts.map((count): Chance => {
    const p = count / countsLeft;
    countsLeft -= count;
    return { p, odds: p / (1 - p), logP: Math.log(p), logRest: Math.log1p(-p) };
  });
  return () => {
    drawn.fill(0);
    let drawsLeft = total;
    for (let one = 0; one < drawn.length && drawsLeft > 0; one++) {
      const came = binomial(drawsLeft, chances[one]!, logFactorial, random);
      drawn[one] = came;
      drawsLeft -= came;
    }
    return drawn;
  };
}

/** Probability of one class among the remaining ones, in (0, 1]; 1 for the last, which gets the remaining draws. */
interface Chance {
  readonly p: number;
  readonly odds: number;
  readonly logP: number;
  readonly logRest: number;
}

/**
 * Draws a binomial number by inversion, from the most likely value outwards to both sides. The number of steps is about
 * the standard deviation.
 *
 * @param logFactorial natural logarithms of 0! … n!
 */
function binomial(n: number, { p, odds, logP, logRest }: Chance, logFactorial: Float64Array, random: Random): number {
  if (p >= 1) return n;
  const mode = Math.floor((n + 1) * p);
  const ways = logFactorial[n]! - logFactorial[mode]! - logFactorial[n - mode]!;
  let up = mode;
  let down = mode;
  let chanceUp = Math.exp(ways + mode * logP + (n - mode) * logRest);
  let chanceDown = chanceUp;
  let left = random.next() - chanceUp;
  if (left < 0) return mode;
  // Smaller probabilities add nothing. The remainder from rounding goes to the most likely number.
  while (chanceUp > Number.EPSILON || chanceDown > Number.EPSILON) {
    chanceUp *= ((n - up) / (up + 1)) * odds;
    up++;
    left -= chanceUp;
    if (left < 0) return up;
    chanceDown *= down / ((n - down + 1) * odds);
    down--;
    left -= chanceDown;
    if (left < 0) return down;
  }
  return mode;
}
