/** Distribution matching: mass is conserved, caps hold as in STP's code, similarities do not depend on blocks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../data/config/resolve.ts';
import { innerProducts } from '../../selfplay/similarity.ts';
import { matchingCount, Transport, type TransportCap } from '../../selfplay/transport.ts';

const code = resolveConfig({ preset: 'stp-code' }).conjectures.transport;
const paper = resolveConfig({ preset: 'stp-paper' }).conjectures.transport;

function matched(rows: readonly (readonly number[])[], counts: readonly number[], cap: TransportCap = code): number[] {
  const transport = new Transport(rows[0]!.length, counts, cap);
  for (const [index, row] of rows.entries()) transport.receive(Float32Array.from(row), counts[index]!);
  return [...transport.weights()];
}

/** STP's text put down as it reads, with sums of N/M: slow, and the same where no count exceeds N. */
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

describe('inner products', () => {
  it('are those of plain loops, bit for bit, however they are cut', () => {
    const shape = fc.record({
      rows: fc.integer({ min: 1, max: 11 }),
      columns: fc.integer({ min: 1, max: 11 }),
      length: fc.integer({ min: 1, max: 7 }),
      from: fc.nat(10),
      seed: fc.nat(1_000),
    });
    fc.assert(
      fc.property(shape, ({ rows, columns, length, from, seed }) => {
        const value = (at: number): number => Math.fround(Math.sin(seed + 12.9898 * at) * 43_758.5453) % 1;
        const a = Float32Array.from({ length: rows * length }, (_, at) => value(at));
        const b = Float32Array.from({ length: columns * length }, (_, at) => value(1_000 + at));
        const first = Math.min(from, rows);
        const values = new Float32Array(rows * (columns + 3)).fill(7);
        const out = { values, stride: columns + 3, columnAt: 2 };
        innerProducts({ values: a, count: rows }, first, rows, { values: b, count: columns }, length, out);
        for (let row = 0; row < rows; row++)
          for (let at = 0; at < columns + 3; at++) {
            let expected = 0;
            for (let d = 0; d < length; d++) expected += a[row * length + d]! * b[(at - 2) * length + d]!;
            const isWritten = row >= first && at >= 2 && at < columns + 2;
            expect(values[row * (columns + 3) + at]).toBe(isWritten ? Math.fround(expected) : 7);
          }
      }),
      { seed: 3 },
    );
  });
});
