/** Comparison of methods at equal samples: where curves end, what lies between rounds, and what the table says. */
import { expect, it } from 'vitest';
import type { Summary } from '../../data/schemas/round.ts';
import { compare, curveOf, rateAt, spreadOf } from '../../tools/experiments/curves.ts';
import { comparisonTable } from '../../tools/experiments/selfplay-vs-baselines.ts';

type Ended = readonly [samples: number, provedEver: number];

/** Only what the comparison reads. */
function summary(rounds: readonly Ended[], provedHeldOut = 3): Summary {
  return {
    statements: 100,
    rounds: rounds.map(([samples, provedEver]) => ({ samples, provedEver, skipped: false })),
    heldOut: { statements: 10, samplesPerStatement: 1, provedFirst: 2, provedLast: provedHeldOut },
  } as unknown as Summary;
}

it('rises round by round and is linear between', () => {
  const curve = curveOf(
    summary([
      [100, 10],
      [300, 30],
    ]),
  );
  expect(curve).toEqual([
    { samples: 0, rate: 0 },
    { samples: 100, rate: 0.1 },
    { samples: 400, rate: 0.3 },
  ]);
  expect(rateAt(curve, 100)).toBe(0.1);
  expect(rateAt(curve, 250)).toBeCloseTo(0.2, 12);
  expect(rateAt(curve, 400)).toBe(0.3);
  expect(rateAt(curve, 401)).toBeNull();
});

it('gives a skipped round no point', () => {
  const rounds = [
    { samples: 100, provedEver: 10, skipped: false },
    { samples: 0, provedEver: 0, skipped: true },
  ];
  expect(curveOf({ rounds, statements: 100 } as unknown as Summary)).toHaveLength(2);
});

it('compares each seed where the shortest of its curves ends', () => {
  const comparison = compare([
    { method: 'a', summaries: [summary([[100, 20]]), summary([[400, 40]])] },
    { method: 'b', summaries: [summary([[200, 20]]), summary([[100, 10]])] },
  ]);
  expect(comparison.samples).toEqual([100, 100]);
  expect(comparison.methods.map(({ rates }) => rates)).toEqual([
    [0.2, 0.1],
    [0.1, 0.1],
  ]);
  expect(comparison.methods[0]!.rateAtHalf.mean).toBeCloseTo((0.1 + 0.05) / 2, 12);
});

it('knows the sample standard deviation', () => {
  expect(spreadOf([1, 2, 3])).toEqual({ mean: 2, deviation: 1, min: 1, max: 3 });
  expect(spreadOf([5]).deviation).toBe(0);
});

it.each([
  [[40, 41], 'above b (+19.5 points'],
  [[20, 22], 'within the spread of b (+0.0 points'],
  [[2, 3], 'below b (−18.5 points'],
])('says whether %j is more than the spread away', (own, words) => {
  const ofProved = (proved: number): Summary => summary([[100, proved]]);
  const table = comparisonTable(
    compare([
      { method: 'a', summaries: own.map(ofProved) },
      { method: 'b', summaries: [20, 22].map(ofProved) },
    ]),
  );
  expect(table).toContain(words);
  expect(table).toContain('Held-out, SFT model: 20.0 % ± 0.0');
});
