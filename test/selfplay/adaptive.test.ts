/** Samples in waves: a statement is stopped only when no band can change, for any results of the remaining samples. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../data/config/resolve.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import { enoughSuccesses, goesOn, waveSamples } from '../../selfplay/adaptive.ts';
import { inBand } from '../../selfplay/bands.ts';
import { joinsRetraining, trainsProver } from '../../selfplay/prover-set.ts';
import { isAttempted } from '../../selfplay/seeds.ts';

const withWaves = (preset: string, set: Record<string, number | string> = {}): RunConfig =>
  resolveConfig({ preset, set: { 'sampling.waves': 4, ...set } });

describe('enough successes', () => {
  it('are one more than half of the samples, where the highest bar is one half, and none with a single wave', () => {
    expect(enoughSuccesses('dataset', 32, null, withWaves('stp-code'))).toBe(17);
    // The paper leaves one half itself out of the band.
    expect(enoughSuccesses('dataset', 32, null, withWaves('stp-paper'))).toBe(16);
    expect(enoughSuccesses('dataset', 32, null, withWaves('stp-code', { 'sampling.waves': 1 }))).toBeNull();
  });
  it('count what the replay window knows: a statement that was hard stays in the band', () => {
    expect(enoughSuccesses('dataset', 32, { attempts: 8, successes: 0 }, withWaves('stp-code'))).toBe(21);
    expect(enoughSuccesses('dataset', 32, { attempts: 64, successes: 0 }, withWaves('stp-code'))).toBeNull();
  });
  it('are never reached by a conjecture whose rate is its reward', () => {
    expect(enoughSuccesses('conjecture', 8, null, withWaves('smoke'))).toBe(5);
    expect(
      enoughSuccesses('conjecture', 8, null, withWaves('smoke', { 'conjectures.reward': 'solve-rate' })),
    ).toBeNull();
  });
  it('leave no band open, and one less leaves one', () => {
    const rate = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
    const configs = fc.record({
      'conjectures.seedPassRateAbove': rate,
      'conjectures.bandMax': rate,
      'selection.reattemptPassRateBelow': rate,
      'selection.proverBandMax': rate,
      'retrain.conjectureBandMax': rate,
    });
    const inclusive = fc.record({ band: fc.boolean(), prover: fc.boolean() });
    const window = fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([successes, failures]) => ({ attempts: successes + failures, successes }));
    const origin = fc.constantFrom('dataset' as const, 'conjecture' as const);
    fc.assert(
      fc.property(
        configs,
        inclusive,
        window,
        origin,
        fc.integer({ min: 2, max: 40 }),
        (set, ends, earlier, of, samples) => {
          const plain = withWaves('smoke', set);
          const config = {
            ...plain,
            conjectures: { ...plain.conjectures, bandInclusive: ends.band },
            selection: { ...plain.selection, proverBandInclusive: ends.prover },
          };
          // Everything that trains on the round or depends on its rate, when so many of all samples succeed.
          const trains = (successes: number): boolean => {
            const tally = { attempts: samples, successes };
            const passRate = successes / samples;
            const both = { attempts: samples + earlier.attempts, successes: successes + earlier.successes };
            const { bandMax: max, bandInclusive } = config.conjectures;
            return (
              passRate <= config.conjectures.seedPassRateAbove ||
              isAttempted(passRate, { ...config.selection, reattemptProbability: 0 }, 1) ||
              trainsProver(both, config.selection) ||
              (of === 'conjecture' && inBand(tally, { max, inclusive: bandInclusive })) ||
              (of === 'conjecture' && joinsRetraining({ origin: of, passRate }, config.retrain))
            );
          };
          const enough = enoughSuccesses(of, samples, earlier, config);
          const all = Array.from({ length: samples }, (_, index) => index + 1);
          if (enough === null)
            expect(all.slice(0, -1).some((successes) => all.slice(successes - 1).every((s) => !trains(s)))).toBe(false);
          else {
            for (let successes = enough; successes <= samples; successes++) expect(trains(successes)).toBe(false);
            if (enough > 1) expect(trains(enough - 1)).toBe(true);
          }
        },
      ),
      { seed: 1 },
    );
  });
});

describe('waves', () => {
  const item = fc
    .record({
      samples: fc.integer({ min: 1, max: 64 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      open: fc.boolean(),
    })
    .map(({ samples, part, open }) =>
      open ? { samples } : { samples, enough: Math.max(1, Math.min(samples - 1, Math.ceil(part * samples))) },
    )
    .filter((one) => one.enough === undefined || one.enough < one.samples);
  it('cover every sample once, in order, whatever their number', () => {
    fc.assert(
      fc.property(item, fc.integer({ min: 2, max: 9 }), (one, waves) => {
        let next = 0;
        for (let wave = 0; wave < waves; wave++) {
          const { first, count } = waveSamples(one, wave, waves);
          expect(first).toBe(next);
          expect(count).toBeGreaterThanOrEqual(0);
          next = first + count;
          expect(goesOn(one, 0, wave, waves)).toBe(next < one.samples);
        }
        expect(next).toBe(one.samples);
      }),
      { seed: 2 },
    );
  });
  it('end with the first for what cannot be stopped, and for what has enough', () => {
    expect(waveSamples({ samples: 32 }, 0, 4)).toEqual({ first: 0, count: 32 });
    expect(waveSamples({ samples: 32, enough: 17 }, 0, 4)).toEqual({ first: 0, count: 17 });
    expect(waveSamples({ samples: 32, enough: 17 }, 1, 4)).toEqual({ first: 17, count: 5 });
    expect(goesOn({ samples: 32, enough: 17 }, 17, 0, 4)).toBe(false);
    expect(goesOn({ samples: 32, enough: 17 }, 16, 0, 4)).toBe(true);
  });
});
