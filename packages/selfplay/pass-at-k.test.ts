/** Estimators of pass@k against enumeration, and against each other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapIntervals, type Interval, multinomial } from './bootstrap.ts';
import { refusal } from './evaluation-rules.ts';
import { blockEstimate, budgetsFor, passAtK, stpBudgets, unbiasedPassAtK } from './pass-at-k.ts';
import { randomStream } from './random.ts';
import { SampleOutcomes } from './sample-outcomes.ts';

/** @param text a sign a sample: `1` proved, `0` not */
function outcomes(text: string): SampleOutcomes {
  const result = new SampleOutcomes();
  for (const [index, sign] of [...text].entries()) result.add(index, sign === '1');
  return result;
}

const bitsOf = (length: number) => fc.array(fc.boolean(), { minLength: length, maxLength: length });

/** Number of subsets of k out of the samples, and of those that hold a success, by going through them all. */
function enumerate(proved: readonly boolean[], k: number): { all: number; successful: number } {
  let all = 0;
  let successful = 0;
  for (let subset = 0; subset < 2 ** proved.length; subset++) {
    const chosen = proved.filter((_, index) => (subset >> index) & 1);
    if (chosen.length !== k) continue;
    all++;
    if (chosen.includes(true)) successful++;
  }
  return { all, successful };
}

describe('outcomes', () => {
  it('count what was added, in any order, ranges included', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), fc.boolean())), fc.nat(310), fc.nat(310), (samples, one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const result = new SampleOutcomes();
        const proved = new Set<number>();
        const seen = new Set<number>();
        for (const [index, isProved] of samples) {
          expect(result.add(index, isProved)).toBe(!seen.has(index));
          seen.add(index);
          if (isProved) proved.add(index);
        }
        const within = (set: Set<number>): number => [...set].filter((index) => index >= from && index < to).length;
        expect(result.successes(from, to)).toBe(within(proved));
        expect(result.recorded(from, to)).toBe(within(seen));
      }),
      { seed: 1 },
    );
  });
});

describe('the unbiased estimate', () => {
  it('is the share of all subsets of k samples that hold a success', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }).chain(bitsOf), fc.integer({ min: 1, max: 10 }), (proved, wanted) => {
        const k = Math.min(wanted, proved.length);
        const { all, successful } = enumerate(proved, k);
        const c = proved.filter(Boolean).length;
        expect(unbiasedPassAtK(proved.length, c, k)).toBeCloseTo(successful / all, 12);
      }),
      { seed: 2 },
    );
  });
  it('never falls as k grows, and stays a share where n is large', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 102_400 }), fc.nat(), fc.nat(), (n, some, more) => {
        const c = some % (n + 1);
        const k = 1 + (more % (n - 1));
        const [now, next] = [unbiasedPassAtK(n, c, k), unbiasedPassAtK(n, c, k + 1)];
        expect(now).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThanOrEqual(1);
        expect(next - now).toBeGreaterThanOrEqual(-1e-12);
      }),
      { seed: 3 },
    );
  });
  it('does not lose a rare success among many samples', () => {
    expect(unbiasedPassAtK(102_400, 1, 1)).toBeCloseTo(1 / 102_400, 15);
    expect(unbiasedPassAtK(102_400, 1, 51_200)).toBeCloseTo(0.5, 12);
    expect(unbiasedPassAtK(25_600, 25_599, 2)).toBe(1);
  });
});

describe("STP's block estimate", () => {
  it('is a mean over disjoint blocks, with a population deviation from four blocks on', () => {
    const list = [outcomes('10000000'), outcomes('11110000')];
    expect(blockEstimate(list, 2, 8, 'drop')).toEqual({ k: 2, mean: 0.375, deviation: Math.sqrt(0.171875) });
    expect(blockEstimate(list, 4, 8, 'drop')).toEqual({ k: 4, mean: 0.5, deviation: null });
    expect(blockEstimate(list, 8, 8, 'drop')).toEqual({ k: 8, mean: 1, deviation: null });
  });
  it('drops the short last block of 3,200 samples at K = 1,280, or counts it as STP does (12)', () => {
    const late = new SampleOutcomes();
    for (let index = 0; index < 3_200; index++) late.add(index, index === 2_560);
    expect(blockEstimate([late], 1_280, 3_200, 'drop')).toEqual({ k: 1_280, mean: 0, deviation: null });
    expect(blockEstimate([late], 1_280, 3_200, 'count')).toEqual({ k: 1_280, mean: 1 / 3, deviation: null });
  });
  it('has the unbiased estimate as its mean over all orders of the samples', () => {
    fc.assert(
      fc.property(bitsOf(6), fc.constantFrom(1, 2, 3, 6), (proved, k) => {
        const orders = permutations(proved.map((bit) => (bit ? '1' : '0')));
        const means = orders.map((order) => blockEstimate([outcomes(order.join(''))], k, 6, 'drop').mean);
        const c = proved.filter(Boolean).length;
        expect(means.reduce((a, b) => a + b) / means.length).toBeCloseTo(unbiasedPassAtK(6, c, k), 12);
      }),
      { numRuns: 20, seed: 4 },
    );
  });
});

describe('pass@k of a list of statements', () => {
  it('averages over statements, the interval holds the mean and is the same for the same seed', async () => {
    const list = ['1000', '0000', '1111', '0011', '0000', '0100'].map(outcomes);
    const estimate = () => passAtK(list, [1, 2, 4], 4, randomStream('test'));
    const [one, two, four] = await estimate();
    expect(one!.mean).toBeCloseTo(8 / 24, 12);
    expect(four!.mean).toBeCloseTo(4 / 6, 12);
    for (const { mean, lower, upper } of [one!, two!, four!]) {
      expect(lower).toBeLessThan(mean);
      expect(upper).toBeGreaterThan(mean);
    }
    expect(await estimate()).toEqual(await estimate());
  });
  it('has an interval about as wide as the normal one for many statements', async () => {
    const [{ lower, upper }] = (await bootstrapIntervals([100, 300], [[1, 0]], randomStream('test'))) as [Interval];
    const half = 1.96 * Math.sqrt((0.25 * 0.75) / 400);
    expect(lower).toBeCloseTo(0.25 - half, 1);
    expect(upper).toBeCloseTo(0.25 + half, 1);
    expect(upper - lower).toBeGreaterThan(1.6 * half);
    expect(upper - lower).toBeLessThan(2.4 * half);
  });
  it('has the interval that drawing statement by statement gives', async () => {
    const texts = ['1000', '0000', '1111', '0011', '0000', '0100', '0111', '0000'];
    const [estimate] = await passAtK(texts.map(outcomes), [2], 4, randomStream('test'));
    const values = texts.map((text) => unbiasedPassAtK(4, [...text].filter((sign) => sign === '1').length, 2));
    const random = randomStream('one by one');
    const means = Array.from({ length: 20_000 }, () => {
      const drawn = values.map(() => values[random.below(values.length)]!);
      return drawn.reduce((a, b) => a + b) / values.length;
    }).sort((a, b) => a - b);
    // Means of eight values lie on a grid of 1/48.
    expect(Math.abs(estimate!.lower - means[500]!)).toBeLessThan(1.5 / 48);
    expect(Math.abs(estimate!.upper - means[19_499]!)).toBeLessThan(1.5 / 48);
  });
  it('draws far fewer random numbers than there are statements, once for all budgets', async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => outcomes(['0000', '1000', '1110'][index % 3]!));
    const random = randomStream('test');
    let draws = 0;
    const count = (drawn: number): number => {
      draws++;
      return drawn;
    };
    const counting = {
      ...random,
      next: () => count(random.next()),
      below: (n: number) => count(random.below(n)),
    };
    await passAtK(list, [1, 2, 4], 4, counting);
    expect(draws).toBeLessThanOrEqual(2_000 * 3);
  });
  it('is nothing for no statements', async () => {
    expect(await passAtK([], [1], 1, randomStream('test'))).toEqual([]);
  });
});

describe('drawing among classes', () => {
  it('adds up to the total every time, a class coming as often as its share says', () => {
    const counts = [1, 2, 3, 500, 40_000, 7, 59_487];
    const total = counts.reduce((a, b) => a + b);
    const draw = multinomial(counts, total, randomStream('classes'));
    const rounds = 4_000;
    const sums = counts.map(() => 0);
    const squares = counts.map(() => 0);
    for (let round = 0; round < rounds; round++) {
      const drawn = draw();
      expect(drawn.reduce((a, b) => a + b)).toBe(total);
      for (const [one, came] of drawn.entries()) {
        sums[one]! += came;
        squares[one]! += (came - counts[one]!) ** 2;
      }
    }
    for (const [one, count] of counts.entries()) {
      const variance = count * (1 - count / total);
      expect(Math.abs(sums[one]! / rounds - count)).toBeLessThan(5 * Math.sqrt(variance / rounds));
      expect(squares[one]! / rounds / variance).toBeGreaterThan(0.8);
      expect(squares[one]! / rounds / variance).toBeLessThan(1.2);
    }
  });
  it('gives a small binomial number with its own chances', () => {
    const draw = multinomial([2, 3], 5, randomStream('small'));
    const seen = [0, 0, 0, 0, 0, 0];
    const rounds = 40_000;
    for (let round = 0; round < rounds; round++) seen[draw()[0]!]! += 1;
    const chances = [0.07776, 0.2592, 0.3456, 0.2304, 0.0768, 0.01024];
    for (const [k, chance] of chances.entries())
      expect(Math.abs(seen[k]! / rounds - chance)).toBeLessThan(5 * Math.sqrt(chance / rounds));
  });
});

describe('budgets', () => {
  it("are STP's for many samples, powers of two for few, and end in all", () => {
    expect(stpBudgets(3_200)).toEqual([1, 32, 128, 640, 3_200]);
    expect(stpBudgets(25_600)).toEqual([1, 32, 128, 640, 3_200, 6_400, 25_600]);
    expect(budgetsFor(1)).toEqual([1]);
    expect(budgetsFor(4)).toEqual([1, 2, 4]);
    expect(budgetsFor(6)).toEqual([1, 2, 4, 6]);
    expect(budgetsFor(3_200)).toEqual([1, 32, 128, 640, 3_200]);
    expect(budgetsFor(1_000)).toEqual([1, 32, 128, 640, 1_000]);
    expect(budgetsFor(0)).toEqual([]);
  });
});

describe('refusal', () => {
  const counts = { statements: 10, samplesPerStatement: 100, missing: 0 };
  it('comes above one per cent of samples without a verdict, not at it', () => {
    expect(refusal({ ...counts, unverified: 10 })).toBeNull();
    expect(refusal({ ...counts, unverified: 11 })).toContain('11 of 1000 samples (1.1 %)');
    expect(refusal({ ...counts, unverified: 20, missing: 12 })).toContain('12 of them no record');
    expect(refusal({ ...counts, statements: 0, unverified: 0 })).toBe('there are no statements');
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
