/** Tests the comparison of methods at equal cost: ends of curves, values between rounds, and the table. */
import { expect, it } from 'vitest';
import { compare, curveOf, type FinishedRun, lineOf, rateAt, spreadOf } from '../../tools/experiments/curves.ts';
import { comparisonTable, roundsMissing, withOrigins } from '../../tools/experiments/selfplay-vs-baselines.ts';

type Ended = readonly [samples: number, provedEver: number];

/** Only what the comparison reads. A sample takes so many seconds of Lean. */
function run(rounds: readonly Ended[], secondsPerSample = 1): FinishedRun {
  const summary = {
    statements: 100,
    rounds: rounds.map(([samples, provedEver], round) => ({ round, samples, provedEver, skipped: false })),
    heldOut: { statements: 10, samplesPerStatement: 1, provedFirst: 2, provedLast: 3 },
  } as unknown as FinishedRun['summary'];
  return { summary, leanSeconds: new Map(rounds.map(([samples], round) => [round, samples * secondsPerSample])) };
}

it('rises round by round and is linear between', () => {
  const ended = run(
    [
      [100, 10],
      [300, 30],
    ],
    2,
  );
  const curve = curveOf(ended, 'samples');
  expect(curve).toEqual([
    { cost: 0, rate: 0 },
    { cost: 100, rate: 0.1 },
    { cost: 400, rate: 0.3 },
  ]);
  expect(curveOf(ended, 'leanSeconds').map(({ cost }) => cost)).toEqual([0, 200, 800]);
  expect(rateAt(curve, 100)).toBe(0.1);
  expect(rateAt(curve, 250)).toBeCloseTo(0.2, 12);
  expect(rateAt(curve, 400)).toBe(0.3);
  expect(rateAt(curve, 401)).toBeNull();
});

it('draws a line that ends at the end of the shortest curve, and never falls', () => {
  // 80 steps of an 80th are more than these ends in floating point.
  const ends = Array.from({ length: 10_000 }, (_, at) => 20 + at / 997).filter((end) => (end * 80) / 80 > end);
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends.slice(0, 20)) {
    const curve = (cost: number) => [
      { cost: 0, rate: 0 },
      { cost, rate: 0.4 },
    ];
    const line = lineOf([curve(end), curve(2 * end)]);
    const { cost, rate } = line.at(-1)!;
    expect(cost).toBe(end);
    expect([rate.min, rate.max]).toEqual([0.2, 0.4].map((share) => expect.closeTo(share, 12)));
    const means = line.map(({ rate }) => rate.mean);
    expect(means).toEqual(means.toSorted((one, other) => one - other));
  }
});

it('gives a skipped round no point', () => {
  const rounds = [
    { round: 0, samples: 100, provedEver: 10, skipped: false },
    { round: 1, samples: 0, provedEver: 0, skipped: true },
  ];
  const summary = { rounds, statements: 100 } as unknown as FinishedRun['summary'];
  expect(curveOf({ summary, leanSeconds: new Map() }, 'samples')).toHaveLength(2);
});

it('compares each seed where the shortest of its curves ends', () => {
  const comparison = compare([
    { method: 'a', runs: [run([[100, 20]], 4), run([[400, 40]], 4)] },
    { method: 'b', runs: [run([[200, 20]]), run([[100, 10]])] },
  ]);
  expect(comparison.at).toEqual({ samples: [100, 100], leanSeconds: [200, 100] });
  expect(comparison.methods.map(({ rates }) => rates.samples.each)).toEqual([
    [0.2, 0.1],
    [0.1, 0.1],
  ]);
  expect(comparison.methods.map(({ rates }) => rates.leanSeconds.each)).toEqual([
    [0.1, 0.025],
    [0.2, 0.1],
  ]);
  expect(comparison.methods[0]!.rates.samples.atHalf.mean).toBeCloseTo((0.1 + 0.05) / 2, 12);
});

it('knows the sample standard deviation', () => {
  expect(spreadOf([1, 2, 3])).toEqual({ mean: 2, deviation: 1, min: 1, max: 3 });
  expect(spreadOf([5]).deviation).toBe(0);
});

it.each([
  [[40, 41], 'above b (+19.5 points'],
  [[20, 22], 'within twice the spread of b (+0.0 points'],
  [[2, 3], 'below b (−18.5 points'],
])('says whether %j is more than twice the spread away', (own, words) => {
  const ofProved = (proved: number): FinishedRun => run([[100, proved]]);
  const table = comparisonTable(
    compare([
      { method: 'a', runs: own.map(ofProved) },
      { method: 'b', runs: [20, 22].map(ofProved) },
    ]),
  );
  expect(table).toContain(words);
  const each = own.map((proved, seed) => proved - [20, 22][seed]!);
  expect(table).toContain(`seed by seed ${each.map((one) => `${one < 0 ? '−' : '+'}${Math.abs(one)}.0`).join(', ')})`);
  expect(table).toContain('Held-out, SFT model: 20.0 % ± 0.0');
});

it('plays on until a method has the rounds and the time of Lean that it needs', () => {
  // A baseline and two rounds, 100 s each.
  const played = run([
    [100, 10],
    [100, 20],
    [100, 20],
  ]);
  expect(roundsMissing(played, { rounds: 2, leanSeconds: 300 })).toBe(0);
  expect(roundsMissing(played, { rounds: 5, leanSeconds: 0 })).toBe(3);
  expect(roundsMissing(played, { rounds: 2, leanSeconds: 301 })).toBe(1);
  expect(roundsMissing(played, { rounds: 2, leanSeconds: 750 })).toBe(5);
  expect(roundsMissing(played, { rounds: 2, leanSeconds: 1e9 })).toBe(998);
});

it('runs what a method starts from before it', () => {
  expect(withOrigins('self-play', ['growing-library'])).toEqual(['self-play', 'growing-library']);
  expect(withOrigins('self-play', ['both', 'decode-use'])).toEqual(['self-play', 'decode', 'decode-use', 'both']);
  expect(withOrigins('ranker-only', ['symbolic-fixed', 'ranker-only'])).toEqual(['ranker-only', 'symbolic-fixed']);
});

it('shows what scripts prove of held-out statements beside what the last model proves', () => {
  const { summary, leanSeconds } = run([[100, 20]]);
  const withScripts = { ...summary, heldOut: { ...summary.heldOut!, withScripts: { first: 3, last: 7 } } };
  const table = comparisonTable(
    compare([
      { method: 'a', runs: [{ summary: withScripts, leanSeconds }] },
      { method: 'b', runs: [{ summary, leanSeconds }] },
    ]),
  );
  expect(table).toContain('| 30.0 % ± 0.0 | 70.0 % ± 0.0 |');
  expect(table).toContain('| 30.0 % ± 0.0 | – |');
});
