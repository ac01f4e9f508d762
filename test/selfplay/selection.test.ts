/** Golden behaviours of STP (the numbers are those of appendix E of its specification). */
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../data/config/resolve.ts';
import type { Sample, Verdict } from '../../data/schemas/records.ts';
import type { Rate } from '../../data/schemas/round.ts';
import { dedupeSamples, statementKey } from '../../selfplay/dedupe.ts';
import { randomStream } from '../../selfplay/random.ts';
import { bestRates, countRates, passRate, sumRates } from '../../selfplay/rates.ts';
import { conjectureInputs, statementsToAttempt } from '../../selfplay/seeds.ts';
import { conjecturerExamples, optimiserSteps, proverExamples, retrainExamples } from '../../selfplay/select.ts';
import { proved, statement } from './records.ts';

const config = resolveConfig({ preset: 'embedded' });
const raw = (text: string, seed: number) => ({
  statementId: 's',
  index: seed,
  text,
  tokens: 3,
  logprob: -1,
  seed,
  finish: 'stop' as const,
});
const verdict = (sample: Sample, kind: Verdict['kind']): [string, Verdict] => [
  sample.id,
  { sampleId: sample.id, kind, messages: [], premises: [], axioms: [], checkMs: 1, tier: 'screen', leanVersion: '' },
];
const rate = (statementId: string, successes: number, attempts: number, origin: Rate['origin'] = 'dataset'): Rate => ({
  statementId,
  origin,
  attempts,
  successes,
});

describe('dedupe', () => {
  it('counts equal proofs once with their multiplicity, whatever their outer indentation', () => {
    const samples = dedupeSamples([raw('rfl', 1), raw('  rfl\n', 2), raw('simp', 3)], 'm');
    expect(samples.map(({ proof, multiplicity, seed, indices }) => [proof, multiplicity, seed, indices])).toEqual([
      ['rfl', 2, 1, [1, 2]],
      ['simp', 1, 3, [3]],
    ]);
  });
  it('takes a statement for the same under another name, other binder names and other white space', () => {
    const key = statementKey(null, 'theorem a (n m : Nat) (h : n = m) : m = n');
    expect(statementKey(null, 'theorem b  (x y : Nat)\n (e : x = y) : y = x')).toBe(key);
    expect(statementKey(null, 'theorem b (x y : Nat) (e : x = y) : x = y')).not.toBe(key);
    expect(statementKey('import Stp', 'theorem a (n m : Nat) (h : n = m) : m = n')).not.toBe(key);
  });
});

describe('pass rates', () => {
  const samples = dedupeSamples([raw('rfl', 1), raw('rfl', 2), raw('rfl', 3), raw('simp', 4)], 'm');
  it('count multiplicity (2)', () => {
    const verdicts = new Map([verdict(samples[0]!, 'proved'), verdict(samples[1]!, 'rejected')]);
    expect(countRates(samples, verdicts, () => 'dataset')).toEqual([rate('s', 3, 4)]);
  });
  it('are not lowered by infrastructure (14)', () => {
    const verdicts = new Map([verdict(samples[0]!, 'proved'), verdict(samples[1]!, 'infra')]);
    expect(passRate(countRates(samples, verdicts, () => 'dataset')[0]!)).toBe(1);
  });
  it('keep the best round (3), and add up over a window', () => {
    const rounds = [[rate('s', 1, 2)], [rate('s', 1, 10)]];
    expect(bestRates(rounds).get('s')).toBe(0.5);
    expect(sumRates(rounds).get('s')).toEqual(rate('s', 2, 12));
  });
});

describe('seeds', () => {
  const seed = proved('theorem a (n : Nat) : n = n', 'rfl', { premises: ['Stp.l', 'Stp.k'] });
  const inputs = (best: number, wanted: number, statements = 100) =>
    conjectureInputs(
      [seed],
      new Map([[seed.statementId, best]]),
      () => true,
      statements,
      wanted,
      { ...config.conjectures, seedPassRateAbove: 0.35 },
      randomStream(1),
    );
  it('use a statement strictly above the rate only (4)', () => {
    expect(inputs(0.35, 8)).toEqual([]);
    expect(inputs(0.3501, 8).length).toBeGreaterThan(0);
  });
  it('never seed from conjectures, and make none without seeds (6)', () => {
    const conjecture = { ...seed, origin: 'conjecture' as const };
    expect(
      conjectureInputs(
        [conjecture],
        new Map([[seed.statementId, 1]]),
        () => true,
        100,
        8,
        config.conjectures,
        randomStream(1),
      ),
    ).toEqual([]);
  });
  it('cap what one lemma gets, before repetition (5)', () => {
    const seeds = Array.from({ length: 10 }, (_, index) =>
      proved(`theorem a${index} (n : Nat) : n + ${index} = n`, 'rfl', { premises: ['Stp.l'] }),
    );
    const best = new Map(seeds.map((one) => [one.statementId, 1]));
    const made = conjectureInputs(
      seeds,
      best,
      () => true,
      30,
      1_000,
      { ...config.conjectures, noLemmaProbability: 0 },
      randomStream(2),
    );
    const distinct = new Set(made.map((input) => `${input.seed.statementId} ${input.lemma}`));
    expect(distinct.size).toBe(3);
    expect(made.length).toBe(3 * config.conjectures.copiesMax);
  });
  it('are the same for the same stream', () => {
    expect(inputs(0.9, 20)).toEqual(inputs(0.9, 20));
  });
  it('attempt what is unproved or rarely proved, and a few others', () => {
    const all = Array.from({ length: 200 }, (_, index) => statement(`theorem s (n : Nat) : n + ${index} = n`));
    const best = new Map(all.slice(0, 150).map((one, index) => [one.id, index < 20 ? 0.35 : 0.9]));
    const attempted = new Set(statementsToAttempt(all, best, config.selection, randomStream(3)).map((one) => one.id));
    expect(all.slice(150).every((one) => attempted.has(one.id))).toBe(true);
    expect(all.slice(0, 20).every((one) => attempted.has(one.id))).toBe(true);
    const easy = all.slice(20, 150).filter((one) => attempted.has(one.id)).length;
    expect(easy).toBeGreaterThan(0);
    expect(easy).toBeLessThan(30);
  });
});

describe('prover examples', () => {
  const a = proved('theorem a (n : Nat) : n = n', 'rfl');
  it('take proofs at the band and not above it (8)', () => {
    expect(proverExamples([a], new Map([[a.statementId, rate(a.statementId, 1, 2)]]), config.selection)).toHaveLength(
      1,
    );
    expect(proverExamples([a], new Map([[a.statementId, rate(a.statementId, 3, 4)]]), config.selection)).toHaveLength(
      0,
    );
  });
  it('share the weight among distinct proofs, multiplicity not counted (2)', () => {
    const rates = new Map([[a.statementId, rate(a.statementId, 1, 10)]]);
    const two = proverExamples([a, { ...a, proof: 'simp' }, { ...a, proof: '  rfl ' }], rates, {
      ...config.selection,
      decayPerCharacter: 0,
      decayPerSecond: 0,
    });
    expect(two.map((example) => example.weight)).toEqual([0.5, 0.5]);
  });
  it('weigh less what is long or slow', () => {
    const rates = new Map([[a.statementId, rate(a.statementId, 1, 10)]]);
    const [long] = proverExamples([{ ...a, proof: 'x'.repeat(100), checkMs: 2_000 }], rates, config.selection);
    expect(long!.weight).toBeCloseTo(Math.exp(-0.1 - 0.02), 12);
  });
});

describe('conjecturer examples', () => {
  const make = (text: string, lemma: string | null) => ({
    ...statement(text, { labels: ['conjecture'] }),
    seedId: 'seed',
    lemma,
    round: 1,
    origin: {
      lemmaStatement: lemma === null ? null : 'theorem l : 1 = 1',
      easyStatement: 'theorem e : 2 = 2',
      easyProof: 'rfl',
    },
  });
  const own = (text: string, proof: string, premises: string[] = []) => [
    proved(text, proof, { origin: 'conjecture', premises }),
  ];
  const text = 'theorem c (n : Nat) : n = n';
  const one = make(text, 'Stp.l');
  const kept = (successes: number, premises: string[], bandMax = 0.25) =>
    conjecturerExamples(
      [one],
      new Map([[one.id, own(text, 'rfl', premises)]]),
      new Map([[one.id, rate(one.id, successes, 8)]]),
      { ...config.conjectures, bandMax },
    );
  it('keep the band closed above (7, paper) and drop what is easier', () => {
    expect(kept(2, ['Stp.l'])).toHaveLength(1);
    expect(kept(3, ['Stp.l'])).toHaveLength(0);
  });
  it('are relabelled with no lemma where the proof did not use it', () => {
    expect(kept(1, ['Stp.l'])[0]!.example.prompt).toContain('<lemma>: 1 = 1<easy>');
    expect(kept(1, [])[0]!.example.prompt).toContain('<lemma>True<easy>');
  });
  it('drop the least elegant fifth, never a single one (9)', () => {
    const five = Array.from({ length: 5 }, (_, index) => make(`theorem c (n : Nat) : n + ${index} = n`, null));
    const proofs = new Map(
      five.map((conjecture, index) => [conjecture.id, own(conjecture.statement, 'x'.repeat(index + 1))]),
    );
    const rates = new Map(five.map((conjecture) => [conjecture.id, rate(conjecture.id, 1, 8)]));
    expect(conjecturerExamples(five, proofs, rates, config.conjectures).map(({ conjecture }) => conjecture.id)).toEqual(
      five.slice(1).map(({ id }) => id),
    );
    expect(kept(1, [])).toHaveLength(1);
  });
});

describe('retraining', () => {
  it('takes 16 distinct proofs of a statement, dataset ones at any rate (11)', () => {
    const many = Array.from({ length: 17 }, (_, index) =>
      proved('theorem a (n : Nat) : n = n', `exact f${index}`, { passRate: 1 }),
    );
    expect(retrainExamples([...many, many[0]!], config.retrain, 0.001, randomStream(1))).toHaveLength(16);
  });
  it('takes conjectures only within their band', () => {
    const at = (passRate: number) => proved('theorem a (n : Nat) : n = n', 'rfl', { origin: 'conjecture', passRate });
    const count = (passRate: number) =>
      retrainExamples([at(passRate)], { ...config.retrain, conjectureBandMax: 0.25 }, 0.001, randomStream(1)).length;
    expect([count(0.25), count(0.2501)]).toEqual([1, 0]);
  });
  it('asks for steps by the number of examples, within bounds', () => {
    const bounds = { epochs: 2, examplesPerStep: 10, stepsMin: 5, stepsMax: 50 };
    expect([optimiserSteps(1, bounds), optimiserSteps(100, bounds), optimiserSteps(10_000, bounds)]).toEqual([
      5, 20, 50,
    ]);
  });
});
