/** The measures of a report: histograms, short lists, bands over seeds, CSV. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../activities/report/csv.ts';
import { addRate, emptyHistogram, isInBand, RATE_BINS } from '../../activities/report/distribution.ts';
import { escapeHtml, formatNumber } from '../../activities/report/html.ts';
import { shareAt } from '../../activities/report/progress.ts';
import { TopList } from '../../activities/report/top-list.ts';
import { firstFlaw } from './well-formed.ts';

describe('distributions', () => {
  it('put a rate in the bin whose upper bound it is at most, exactly', () => {
    for (let attempts = 1; attempts <= 64; attempts++)
      for (let successes = 0; successes <= attempts; successes++) {
        const histogram = emptyHistogram();
        addRate(histogram, { statementId: 's', origin: 'dataset', attempts, successes });
        const bin = histogram.bins.indexOf(1);
        if (successes === 0) expect([bin, histogram.never]).toEqual([-1, 1]);
        else {
          expect(successes * RATE_BINS).toBeLessThanOrEqual((bin + 1) * attempts);
          expect(successes * RATE_BINS).toBeGreaterThan(bin * attempts);
        }
      }
  });
  it('leave out statements without an attempt', () => {
    const histogram = emptyHistogram();
    addRate(histogram, { statementId: 's', origin: 'dataset', attempts: 0, successes: 0 });
    expect(histogram).toEqual(emptyHistogram());
  });
  it('have the bound of the band in it or not, as the switch says', () => {
    const rate = { statementId: 's', origin: 'conjecture', attempts: 4, successes: 1 } as const;
    expect(isInBand(rate, { bandMax: 0.25, bandInclusive: true })).toBe(true);
    expect(isInBand(rate, { bandMax: 0.25, bandInclusive: false })).toBe(false);
    expect(isInBand({ ...rate, successes: 0 }, { bandMax: 0.25, bandInclusive: true })).toBe(false);
  });
});

it('a short list holds the best of each key, in any order of arrival', () => {
  const offers = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), fc.nat(50)), { maxLength: 60 });
  fc.assert(
    fc.property(offers, fc.integer({ min: 1, max: 4 }), (entries, max) => {
      const compare = (a: { key: string; n: number }, b: { key: string; n: number }): number =>
        a.n - b.n || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
      const list = new TopList(max, compare);
      for (const [key, n] of entries) list.offer(key, { key, n });
      const best = new Map<string, number>();
      for (const [key, n] of entries) best.set(key, Math.min(n, best.get(key) ?? n));
      const expected = [...best]
        .map(([key, n]) => ({ key, n }))
        .sort(compare)
        .slice(0, max);
      expect(list.best()).toEqual(expected);
    }),
    { seed: 4 },
  );
});

it('a share at a number of samples is the last one reached', () => {
  const points = [
    { samples: 0, proved: 0, round: 0 },
    { samples: 10, proved: 1, round: 0 },
    { samples: 20, proved: 4, round: 1 },
  ];
  expect([0, 9, 10, 19, 20, 99].map((samples) => shareAt(points, 8, samples))).toEqual([0, 0, 0.125, 0.125, 0.5, 0.5]);
  expect(shareAt(points, 0, 20)).toBe(0);
});

it('CSV keeps commas, quotes and line ends in their cells, and runs in no spreadsheet', () => {
  expect(
    csv(
      ['a', 'b'],
      [
        ['x,y', 'say "z"'],
        ['=1+1', -1],
        [null, 'two\nlines'],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""z"""\r\n\'=1+1,-1\r\n,"two\nlines"\r\n');
});

it('any text can stand in the page', () => {
  // code units, so that control characters and halves of pairs are among them
  const unit = fc.oneof(fc.nat(0xffff), fc.nat(0x7f), fc.constantFrom(0xd800, 0xdc00, 0xfffe));
  fc.assert(
    fc.property(
      fc.array(unit).map((units) => String.fromCharCode(...units)),
      (any) => {
        expect(firstFlaw(`<!DOCTYPE html><p title="${escapeHtml(any)}">${escapeHtml(any)}</p>`)).toBeNull();
      },
    ),
    { seed: 5 },
  );
});

it('what tells whether a page is whole finds what is not', () => {
  const flawed = [
    '<p>a & b</p>',
    '<p><b>x</p></b>',
    '<p>',
    '<p>a < b</p>',
    '<p class=x>y</p>',
    '<p></p>tail',
    '<br>',
    '<p t="&x"/>',
  ];
  for (const page of flawed) expect(firstFlaw(page), page).not.toBeNull();
  expect(firstFlaw('<!DOCTYPE html><p class="x">a &amp; <br/>b</p>')).toBeNull();
});

it('numbers are written with thousands apart', () => {
  expect([0, 12, 1_234, 1_234_567, 0.123, 45.67, 1_234.5].map(formatNumber)).toEqual([
    '0',
    '12',
    '1\u202f234',
    '1\u202f234\u202f567',
    '0.12',
    '45.7',
    '1\u202f235',
  ]);
});
