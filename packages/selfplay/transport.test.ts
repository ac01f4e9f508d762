/** Distribution matching: mass is conserved, caps hold as in STP's code, similarities do not depend on blocks. */

import { learnedConjecturer, resolveConfig } from '@stp/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchingCount, Transport, type TransportCap } from './transport.ts';

const code = learnedConjecturer(resolveConfig({ preset: 'stp-code' }).conjectures).transport!;
const paper = learnedConjecturer(resolveConfig({ preset: 'stp-paper' }).conjectures).transport!;

function matched(rows: readonly (readonly number[])[], counts: readonly number[], cap: TransportCap = code): number[] {
  const transport = new Transport(rows[0]!.length, counts, cap);
  for (const [index, row] of rows.entries()) transport.receive(Float32Array.from(row), counts[index]!);
  return [...transport.weights()];
}

/** STP's text written down literally, with sums of N/M: slow, and equal where no count exceeds N. */
function plainly(rows: readonly (readonly number[])[], counts: readonly number[], max: number): number[] {
  const n = rows[0]!.length;
  const mass = counts.reduce((total, count) => total + count, 0);
  const hits = new Array<number>(n).fill(0);
  const mask = new Array<number>(n).fill(1);
  for (const [row, similarities] of rows.entries()) {
    const values = similarities.map((value, index) => Math.fround(value) * mask[index]!);
    const nearest = values
      .map((value, index) => ({ value, index }))
      .sort((a, b) => b.value - a.value || a.index - b.index)
      .slice(0, counts[row]);
    for (const { index } of nearest) {
      hits[index]!++;
      if (hits[index]! * n >= max * mass) mask[index] = 0;
    }
  }
  return hits.map((count) => (count * n) / mass);
}

describe('weights', () => {
  const instance = fc
    .record({ n: fc.integer({ min: 1, max: 12 }), m: fc.integer({ min: 1, max: 30 }) })
    .chain(({ n, m }) =>
      fc.record({
        rows: fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: n, maxLength: n }), {
          minLength: m,
          maxLength: m,
        }),
        counts: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: m, maxLength: m }),
      }),
    );
  it('sum to the number of conjectures, counts above it included', () => {
    fc.assert(
      fc.property(instance, ({ rows, counts }) => {
        for (const cap of [code, paper])
          expect(matched(rows, counts, cap).reduce((a, b) => a + b, 0)).toBeCloseTo(rows[0]!.length, 9);
      }),
      { seed: 1 },
    );
  });
  it('are those of the greedy as it is written down', () => {
    fc.assert(
      fc.property(instance, ({ rows, counts }) => {
        const limited = counts.map((count) => Math.min(count, rows[0]!.length));
        expect(matched(rows, limited)).toEqual(plainly(rows, limited, code.weightCap));
      }),
      { seed: 2 },
    );
  });
  it('stop growing at the cap while another similarity is above 0', () => {
    // Ten conjectures and ten statements, all nearest to the first: a hit weighs 1.
    const rows = Array.from({ length: 10 }, () => [0.9, ...new Array<number>(9).fill(0.1)]);
    const ones = rows.map(() => 1);
    expect(matched(rows, ones, code)[0]).toBe(4);
    expect(matched(rows, ones, { weightCap: 4, capInclusive: false })[0]).toBe(5);
    expect(matched(rows, ones, paper)[0]).toBe(4);
  });
  it('reach the cap exactly: forty hits of 0.1 are 4', () => {
    const rows = Array.from({ length: 100 }, () => [0.9, ...new Array<number>(9).fill(0.1)]);
    expect(
      matched(
        rows,
        rows.map(() => 1),
      )[0],
    ).toBe(4);
  });
  it('grow beyond the cap where all others are negative, as in the code: a mask is similarity 0', () => {
    const rows = Array.from({ length: 10 }, () => [0.9, ...new Array<number>(9).fill(-0.1)]);
    expect(
      matched(
        rows,
        rows.map(() => 1),
      )[0],
    ).toBe(10);
  });
  it('vanish where no statement is near', () => {
    expect(matched([[0.5, 0.4, -1]], [1])).toEqual([3, 0, 0]);
  });
  it('go to the earlier of equally near ones', () => {
    expect(matched([[0.5, 0.5, 0.5]], [2])).toEqual([1.5, 1.5, 0]);
  });
  it('follow the matching counts', () => {
    expect([0.2, 1, 1.4, 128].map(matchingCount)).toEqual([1, 1, 1, 128]);
    expect(
      matched(
        [
          [0.9, 0.1],
          [0.1, 0.9],
        ],
        [2, 1],
      ),
    ).toEqual([2 / 3, 4 / 3]);
  });
});

describe('similarities that are right to a tolerance', () => {
  /** Few values, so that many are equal, and some that differ by less than the tolerance. */
  const TOLERANCE = 1e-3;
  const similarity = fc
    .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }))
    .map(([far, close]) => far / 4 + (close * TOLERANCE) / 4);
  const instance = fc.integer({ min: 1, max: 12 }).chain((n) =>
    fc.record({
      rows: fc.array(fc.array(similarity, { minLength: n, maxLength: n }), { minLength: 1, maxLength: 25 }),
      counts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 25, maxLength: 25 }),
      errors: fc.array(fc.double({ min: -0.99, max: 0.99, noNaN: true }), { minLength: 300, maxLength: 300 }),
      cap: fc.constantFrom(code, paper),
    }),
  );

  it('choose as exact ones do, where those that are undecided are made exact', () => {
    let made = 0;
    let all = 0;
    fc.assert(
      fc.property(instance, ({ rows, counts, errors, cap }) => {
        const used = counts.slice(0, rows.length);
        const n = rows[0]!.length;
        const transport = new Transport(n, used, cap);
        for (const [row, exact] of rows.entries()) {
          const given = Float32Array.from(exact, (value, index) => value + TOLERANCE * errors[row * n + index]!);
          const undecided = transport.undecided(given, used[row]!, TOLERANCE);
          for (const index of undecided) given[index] = exact[index]!;
          transport.receive(given, used[row]!);
          made += undecided.length;
          all += n;
        }
        expect([...transport.weights()]).toEqual(matched(rows, used, cap));
      }),
      { seed: 4, numRuns: 2_000 },
    );
    // Fewer than half of the similarities are undecided.
    expect(made).toBeLessThan(all / 2);
  });
});
