/** Choosing a token: against a plain sorting implementation, and that the noise is the seed's. Costs under a second. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenChooser } from './choose-token.ts';
import { philox2x32, uniformAt } from './philox.ts';

const SIZE = 40;
const PAD = 3;
const chooser = new TokenChooser({ size: SIZE, neverId: PAD });

/** Makes log-probabilities over a vocabulary that is larger than the set of allowed tokens. */
const rows = fc
  .array(fc.double({ min: -12, max: 6, noNaN: true }), { minLength: SIZE + 8, maxLength: SIZE + 8 })
  .map((logits) => {
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    return Float32Array.from(logits, (logit) => logit - total);
  });

/**
 * Computes the probability of each id under temperature and top-p, by sorting. Ids equal to the last chosen one all
 * stay.
 */
function referenceDistribution(row: Float32Array, temperature: number, topP: number): number[] {
  const weights = Array.from(row.subarray(0, SIZE), (value, id) => (id === PAD ? 0 : Math.exp(value / temperature)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = weights.map((_, id) => id).sort((a, b) => weights[b]! - weights[a]!);
  const kept = new Array<number>(SIZE).fill(0);
  let mass = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const id of order) {
    if (mass >= topP * total && weights[id]! < last) break;
    last = weights[id]!;
    kept[id] = weights[id]!;
    mass += weights[id]!;
  }
  return kept.map((weight) => weight / mass);
}

describe('token chooser', () => {
  it('draws from the nucleus in proportion to its probabilities', () => {
    const numbers = fc.record({
      row: rows,
      temperature: fc.double({ min: 0.3, max: 2, noNaN: true }),
      topP: fc.double({ min: 0.05, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(numbers, ({ row, temperature, topP }) => {
        const expected = referenceDistribution(row, temperature, topP);
        // The edges of the cumulative distribution, just before and just after each.
        let edge = 0;
        expected.forEach((share, id) => {
          if (share < 1e-6) return;
          expect(chooser.choose(row, { temperature, topP }, edge + 1e-9 + share * 0.001).id).toBe(id);
          edge += share;
          expect(chooser.choose(row, { temperature, topP }, edge - 1e-9 - share * 0.001).id).toBe(id);
        });
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('gives the log-probability at temperature 1 over the whole vocabulary, at any temperature and top-p', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (row, uniform) => {
        for (const temperature of [0, 0.5, 1]) {
          const { id, logprob } = chooser.choose(row, { temperature, topP: 0.9 }, uniform);
          expect(logprob).toBe(row[id]);
        }
      }),
      { seed: 2 },
    );
  });

  it('names the likeliest tokens as sorting does', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), (row, count) => {
        const sorted = Array.from(row.subarray(0, SIZE), (logprob, id) => ({ id, logprob }))
          .filter(({ id }) => id !== PAD)
          .sort((a, b) => b.logprob - a.logprob || a.id - b.id);
        expect(chooser.likeliest(row, count)).toEqual(sorted.slice(0, count));
      }),
      { seed: 3 },
    );
  });

  it('never chooses padding or an id no token has, and takes the likeliest at temperature 0', () => {
    const row = new Float32Array(SIZE + 8).fill(-9);
    row[PAD] = -0.1;
    row[SIZE + 2] = -0.1;
    row[11] = -2;
    row[12] = -2;
    expect(chooser.choose(row, { temperature: 0, topP: 1 }, 0.99).id).toBe(11);
    for (let step = 0; step < 200; step++) {
      const { id } = chooser.choose(row, { temperature: 5, topP: 1 }, step / 200);
      expect(id !== PAD && id < SIZE).toBe(true);
    }
  });

  it('keeps every token of a flat row whose weights are equal', () => {
    const row = new Float32Array(SIZE + 8).fill(-Math.log(SIZE + 8));
    const seen = new Set(
      Array.from({ length: 400 }, (_, at) => chooser.choose(row, { temperature: 1, topP: 0.5 }, at / 400).id),
    );
    expect(seen.size).toBe(SIZE - 1);
  });
});

describe('philox', () => {
  it('gives the known answers of Random123 (kat_vectors, philox2x32 10)', () => {
    expect(philox2x32(0, 0, 0)).toEqual([0xff1dae59, 0x6cd10df2]);
    expect(philox2x32(0xffffffff, 0xffffffff, 0xffffffff)).toEqual([0x2c3f628b, 0xab4fd7ad]);
    expect(philox2x32(0x243f6a88, 0x85a308d3, 0x13198a2e)).toEqual([0xdd7ce038, 0xf62a4c12]);
  });

  it('is uniform, and different for seeds that differ only above 32 bits', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => uniformAt(42, index));
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.015);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(uniformAt(1, 0)).not.toBe(uniformAt(1 + 2 ** 32, 0));
    expect(uniformAt(1, 0)).toBe(uniformAt(1, 0));
  });
});
