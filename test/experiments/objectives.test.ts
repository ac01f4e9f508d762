/** The comparison of objectives: which methods need which, and what its tables say at equal cost. */
import { expect, it } from 'vitest';
import { foundWithin } from '../../tools/experiments/objective-figures.ts';
import { type ObjectiveRun, type SeedResult, withNeeds } from '../../tools/experiments/objectives.ts';
import { objectivesTable } from '../../tools/experiments/objectives-table.ts';

type Round = readonly [samples: number, provedEver: number, leanSeconds: number];

/** Only what the tables read. */
function run(rounds: readonly Round[], heldOutSearches: ObjectiveRun['heldOutSearches'] = []): ObjectiveRun {
  const pass = [{ k: 1, mean: 0.5, lower: 0.4, upper: 0.6 }];
  const summary = {
    statements: 100,
    provedBaseline: rounds[0]![1],
    provedPerRound: rounds.slice(1).map(([, proved]) => proved),
    rounds: rounds.map(([samples, provedEver], round) => ({ round, samples, provedEver, skipped: false })),
    heldOut: { statements: 10, provedFirst: 2, provedLast: 3, passAtK: { first: pass, last: pass } },
  } as unknown as ObjectiveRun['summary'];
  const leanSeconds = new Map(rounds.map(([, , seconds], round) => [round, seconds]));
  return { summary, leanSeconds, proofs: 2, premiseSets: 1, heldOutSearches };
}

it('runs what a method starts from, and what trains its verifiers, before it', () => {
  expect(withNeeds(['grpo'])).toEqual(['expert-iteration', 'grpo']);
  expect(withNeeds(['search-verified'])).toEqual(['gflownet', 'search', 'search-verified']);
});

it('counts the searches that found a proof in so many seconds of Lean', () => {
  const searches = [
    { leanSeconds: 0.5, found: true },
    { leanSeconds: 3, found: true },
    { leanSeconds: 0.1, found: false },
  ];
  expect([0.4, 0.5, 2, 3].map((seconds) => foundWithin(searches, seconds))).toEqual([0, 1, 1, 2]);
});

it('compares all methods at the least time of Lean, and those that draw samples at the least samples', () => {
  const searched = [{ leanSeconds: 2, found: true }];
  const results: SeedResult[] = [
    {
      seed: 1,
      verifier: null,
      runs: new Map([
        [
          'expert-iteration',
          run([
            [100, 20, 10],
            [100, 40, 10],
          ]),
        ],
        ['gflownet', run([[50, 10, 40]])],
        ['search', run([[1, 30, 30]], searched)],
      ]),
    },
  ];
  const lines = objectivesTable(results).split('\n');
  const row = (method: string, table: number) => lines.filter((line) => line.startsWith(`| ${method} |`))[table];
  // At 50 samples expert iteration is half way to its baseline. At 20 s it has ended, and flows are half way to theirs.
  expect(row('expert iteration', 1)).toBe(
    '| expert iteration | 10.0 ± 0.0 % | 10.0 % | 40.0 ± 0.0 % | 40.0 % | 20.0 % ± 0.0 | 10 s: 20, 20 s: 40 |',
  );
  expect(row('flows', 1)).toBe('| flows | 10.0 ± 0.0 % | 10.0 % | 5.0 ± 0.0 % | 5.0 % | 2.5 % ± 0.0 | 40 s: 10 |');
  expect(row('search', 1)).toBe('| search | – | – | 20.0 ± 0.0 % | 20.0 % | 10.0 % ± 0.0 | 30 s: 30 |');
  expect(row('search', 2)).toBe('| search | 0 | 0 | 0 | 1 | 1 | 1 | 1 | 1 | 1 | 2 |');
  expect(lines).toContain(
    'Shares of the training statements, at 50 samples and at 20 s of Lean (seed by seed). Searches draw no samples that could be compared.',
  );
});
