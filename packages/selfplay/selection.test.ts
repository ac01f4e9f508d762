/** Tests what trains the prover: pass rates, bands, weights, retraining (docs/algorithm.md, sections 5, 6 and 9). */

import { resolveConfig } from '@stp/config';
import type { Rate, Sample, Verdict } from '@stp/config/records';
import { proved } from '@stp/config/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inBand } from './bands.ts';
import {
  joinsRetraining,
  type ProofExamples,
  proofKey,
  proverExamples,
  retrainExamples,
  trainsProver,
} from './prover-set.ts';
import { orderKey } from './random.ts';
import { countRates, keepBest, passRate, RateTable } from './rates.ts';
import { dedupeExamples, optimiserSteps } from './select.ts';
import { formExamples, plainForm } from './slots/prover-form.ts';

const config = resolveConfig({ preset: 'embedded' });
const sample = (id: string, multiplicity: number): Sample => ({
  id,
  statementId: 's',
  proof: id,
  tokens: 3,
  logprob: -1,
  seed: 1,
  model: 'm',
  multiplicity,
  indices: Array.from({ length: multiplicity }, (_, index) => index),
  finish: 'stop',
});
const verdict = (sampleId: string, kind: Verdict['kind']): [string, Verdict] => [
  sampleId,
  { sampleId, kind, messages: [], premises: [], axioms: [], checkMs: 1, leanVersion: '' },
];
const rate = (successes: number, attempts: number): Rate => ({
  statementId: 's',
  origin: 'dataset',
  attempts,
  successes,
});
const judged = (samples: Sample[], ...verdicts: [string, Verdict][]) => ({ samples, verdicts: new Map(verdicts) });

describe('pass rates', () => {
  const two = [sample('rfl', 3), sample('simp', 1)];
  it('count multiplicity', () => {
    const one = judged(two, verdict('rfl', 'proved'), verdict('simp', 'rejected'));
    expect(countRates(one, () => 'dataset')).toEqual([rate(3, 4)]);
  });
  it.each(['infra', null] as const)('are not lowered by infrastructure: %s', (kind) => {
    const verdicts = kind === null ? [] : [verdict('simp', kind)];
    const [counted] = countRates(judged(two, verdict('rfl', 'proved'), ...verdicts), () => 'dataset');
    expect(passRate(counted!)).toBe(1);
  });
  it('are kept at the best of all rounds: 0.5 in one and 0.1 in a later one is 0.5', () => {
    const best = new Map<string, number>();
    for (const round of [rate(1, 2), rate(1, 10), rate(0, 8)]) keepBest(best, round);
    expect(best.get('s')).toBe(0.5);
    keepBest(best, { ...rate(0, 8), statementId: 'never' });
    expect(best.has('never')).toBe(false);
  });
  it('add up in a table as in a plain map', () => {
    const tally = fc.record({ attempts: fc.nat(100), successes: fc.nat(100) });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3_000), tally), { maxLength: 4_000 }), (entries) => {
        const table = new RateTable();
        const plain = new Map<string, { attempts: number; successes: number }>();
        for (const [id, { attempts, successes }] of entries) {
          table.add(`${id}`, { attempts, successes });
          const before = plain.get(`${id}`) ?? { attempts: 0, successes: 0 };
          plain.set(`${id}`, { attempts: before.attempts + attempts, successes: before.successes + successes });
        }
        for (const [id, sum] of plain) expect(table.get(id)).toEqual(sum);
        expect(table.get('none')).toBeNull();
      }),
      { numRuns: 20, seed: 1 },
    );
  });
});

describe('bands', () => {
  it.each([
    [1, 4, true, true],
    [1, 4, false, false],
    [2, 8, false, false],
    [249, 1_000, false, true],
    [251, 1_000, true, false],
    [0, 8, true, false],
  ])('%i of %i with the bound 1/4 (inclusive: %s) is in: %s', (successes, attempts, inclusive, expected) => {
    expect(inBand({ successes, attempts }, { max: 0.25, inclusive })).toBe(expected);
  });
  it('hold nothing that was not attempted', () => {
    expect(inBand(null, { max: 1, inclusive: true })).toBe(false);
  });
  it.each([
    ['stp-code', true],
    ['stp-paper', false],
  ])('%s: a proof at pass rate exactly 0.5 trains the prover: %s', (preset, expected) => {
    const { selection } = resolveConfig({ preset });
    expect(trainsProver(rate(4, 8), selection)).toBe(expected);
    expect(trainsProver(rate(3, 8), selection)).toBe(true);
    expect(trainsProver(rate(5, 8), selection)).toBe(false);
  });
  it.each(['stp-code', 'stp-paper'])(
    '%s: proofs of a conjecture at 0.25 train the round and the retraining',
    (preset) => {
      const { selection, retrain } = resolveConfig({ preset });
      expect(trainsProver(rate(2, 8), selection)).toBe(true);
      expect(joinsRetraining({ origin: 'conjecture', passRate: 0.25 }, retrain)).toBe(true);
      expect(joinsRetraining({ origin: 'conjecture', passRate: 0.2501 }, retrain)).toBe(false);
    },
  );
  it.each([
    ['stp-code', true],
    ['stp-paper', false],
  ])('%s: dataset statements join the retraining at any rate: %s', (preset, expected) => {
    expect(joinsRetraining({ origin: 'dataset', passRate: 1 }, resolveConfig({ preset }).retrain)).toBe(expected);
  });
});

const examplesOf: ProofExamples = ({ statement, proof }, weight) => formExamples(plainForm(statement), proof, weight);

describe('prover examples of a statement', () => {
  const a = proved('theorem a (n : Nat) : n = n', 'rfl');
  const flat = { ...config.selection, decayPerCharacter: 0, decayPerSecond: 0 };
  it('share the weight among distinct proofs, multiplicity not counted', () => {
    const two = proverExamples([a, { ...a, proof: 'simp' }, { ...a, proof: '  rfl ' }], flat, examplesOf);
    expect(two.map((example) => example.weight)).toEqual([0.5, 0.5]);
  });
  it('weigh less what is long or slow', () => {
    const [long] = proverExamples([{ ...a, proof: 'x'.repeat(100), checkMs: 2_000 }], config.selection, examplesOf);
    expect(long!.weight).toBeCloseTo(Math.exp(-0.1 - 0.02), 12);
  });
  it('are at most so many, which share the weight', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...a, proof: `exact f${index}` }));
    const examples = proverExamples(many, { ...flat, proofsPerStatementMax: 16 }, examplesOf);
    expect(examples).toHaveLength(16);
    expect(examples.reduce((sum, example) => sum + example.weight, 0)).toBeCloseTo(1, 12);
  });
  it('stand together by key, the newest of equal texts first, in any order of arrival', () => {
    const proofs = [0, 1, 2].flatMap((round) => [
      { ...a, round, proof: 'rfl', seed: round },
      { ...a, round, proof: 'simp', seed: round },
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray(proofs, { minLength: 6 }), (shuffled) => {
        const sorted = shuffled.toSorted((x, y) => (proofKey(x, 7) < proofKey(y, 7) ? -1 : 1));
        expect(sorted.map((proof) => proof.round)).toEqual([2, 1, 0, 2, 1, 0]);
        expect(new Set(sorted.slice(0, 3).map((proof) => proof.proof)).size).toBe(1);
      }),
      { seed: 2 },
    );
  });
});

describe('retraining examples of a statement', () => {
  it('are 16 of 17 distinct proofs, repeats not counted', () => {
    const many = Array.from({ length: 17 }, (_, index) => proved('theorem a (n : Nat) : n = n', `exact f${index}`));
    const examples = retrainExamples([many[0]!, ...many], config.retrain, 0.001, examplesOf);
    expect(examples).toHaveLength(16);
    expect(new Set(examples.map((example) => example.target)).size).toBe(16);
    expect(examples[0]!.weight).toBeCloseTo(Math.exp(-0.001 * 'exact f0'.length), 12);
  });
});

describe('a set of examples', () => {
  it('holds a prompt with a target once, the first', () => {
    const example = (target: string, weight: number) => ({ prompt: 'p', target, weight, role: 'prover' as const });
    expect(dedupeExamples([example('a', 1), example('b', 1), example('a', 2)]).map((one) => one.weight)).toEqual([
      1, 1,
    ]);
  });
  it('asks for steps by the number of examples, within bounds', () => {
    const bounds = { epochs: 2, examplesPerStep: 10, stepsMin: 5, stepsMax: 50 };
    expect([optimiserSteps(1, bounds), optimiserSteps(100, bounds), optimiserSteps(10_000, bounds)]).toEqual([
      5, 20, 50,
    ]);
  });
});

describe('random order', () => {
  it('gives other keys to other streams, and to parts that only join to the same text', () => {
    expect(orderKey(1, 'a')).toBe(orderKey(1, 'a'));
    expect(
      new Set([orderKey(1, 'a'), orderKey(2, 'a'), orderKey('1', 'a'), orderKey('1a'), orderKey('1', '', 'a')]).size,
    ).toBe(5);
  });
});
