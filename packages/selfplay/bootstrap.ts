/**
 * Percentile bootstrap (Efron 1979) of weighted means over classes of equal values. Drawing n values again with
 * replacement gives each class a multinomial number of draws, so a resampling costs as much as there are classes, not
 * values: a hundred thousand statements of 128 samples have 129 classes. The same draws serve every column of values.
 */
import { setImmediate } from 'node:timers/promises';
import type { Random } from './random.ts';

/** Resamplings of a bootstrap: the ends of a 95 % interval then rest on 50 of them each. */
const RESAMPLINGS = 2_000;
const TAIL = 0.025;
/** Class draws between two turns of the event loop: some tens of milliseconds, far below any heartbeat. */
const DRAWS_PER_TURN = 100_000;

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/**
 * 95 % intervals of the mean of each column. Lets the event loop turn now and then: thousands of classes take seconds.
 *
 * @param counts how many values each class stands for, each at least 1
 * @param columns values of the classes, a list a column, each as long as `counts`
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
 * A function that draws `total` times among classes in proportion to their counts and says how often each came; it fills
 * the same array every time. Class by class: given those before, the next one's number is binomial.
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

/** The probability of one class among the remaining ones, in (0, 1]: 1 for the last, which gets the remaining count. */
interface Chance {
  readonly p: number;
  readonly odds: number;
  readonly logP: number;
  readonly logRest: number;
}

/**
 * A binomial number by inversion, from the most likely one outwards to both sides: about as many steps as the standard
 * deviation is wide.
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
  // A chance below this adds nothing any more; what rounding has left over goes to the most likely number.
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
