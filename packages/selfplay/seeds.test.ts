/** Tests what conjectures start from: seeds, lemmas, caps, copies, targets; and what a round attempts (docs/algorithm.md, sections 3 and 5). */

import { conjecturing, resolveConfig, type SeedConfig } from '@stp/config';
import type { Proved } from '@stp/config/records';
import { libraryTheorem, proved } from '@stp/config/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomStream } from './random.ts';
import { conjectureInputs, conjecturesMax, isAttempted, repeatInputs, SeedProofs } from './seeds.ts';
import { targetPairs } from './targets.ts';

const { conditionOn } = conjecturing(resolveConfig({ preset: 'stp-code' }).conjectures);
const config = conditionOn as SeedConfig;

const isLemma = (name: string): boolean => name !== 'Other';

describe('seed proofs', () => {
  const a = proved('theorem a (n : Nat) : n = n', 'rfl');
  const seeds = (proofs: readonly Proved[], best: number) => {
    const chosen = new SeedProofs(new Map(proofs.map((proof) => [proof.statementId, best])), config, isLemma, 7);
    for (const proof of proofs) chosen.offer(proof);
    return chosen.chosen();
  };
  it('take no statement whose best rate is 0.35 exactly, and take one at 0.3501', () => {
    expect(seeds([a], 0.35)).toEqual([]);
    expect(seeds([a], 0.3501)).toEqual([{ proof: a, lemmas: [] }]);
  });
  it('take no conjecture', () => {
    expect(seeds([{ ...a, origin: 'conjecture' }], 1)).toEqual([]);
  });
  it('take no statement that no rate is known of', () => {
    const chosen = new SeedProofs(new Map(), { ...config, seedPassRateAbove: 0 }, isLemma, 7);
    chosen.offer(a);
    expect(chosen.chosen()).toEqual([]);
  });
  it('are one per statement, the same for any order and number of its proofs', () => {
    const proofs = Array.from({ length: 12 }, (_, index) =>
      proved(`theorem a (n : Nat) : n + ${index % 4} = n`, `p${index}`, {
        premises: [`l${index % 3}`, `k${index % 5}`],
      }),
    );
    const expected = seeds(proofs, 1);
    expect(expected.map(({ proof }) => proof.statementId).sort()).toEqual(
      [...new Set(proofs.map((p) => p.statementId))].sort(),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(proofs, { minLength: 12 }), (shuffled) => {
        expect(seeds([...shuffled, ...shuffled], 1)).toEqual(expected);
      }),
      { seed: 1 },
    );
  });
  it('have the lemmas of all proofs of their statement, each with a proof that used it', () => {
    const text = 'theorem a (n : Nat) : n = n';
    const first = proved(text, 'first', { premises: ['Stp.l', 'Other', 'Stp.l'] });
    const second = proved(text, 'second', { premises: ['Stp.k'] });
    const both = proved(text, 'both', { premises: ['Stp.k', 'Stp.l'] });
    const [seed, ...others] = seeds([first, second], 1);
    expect(others).toEqual([]);
    expect(seed!.lemmas).toEqual([
      { name: 'Stp.k', proof: second },
      { name: 'Stp.l', proof: first },
    ]);
    for (const { name, proof } of seeds([first, second, both], 1)[0]!.lemmas) expect(proof.premises).toContain(name);
  });
  it('choose every proof of a statement now and then', () => {
    const proofs = ['x', 'y', 'z'].map((text) => proved('theorem a (n : Nat) : n = n', text));
    const chosen = Array.from({ length: 60 }, (_, seed) => {
      const one = new SeedProofs(new Map([[proofs[0]!.statementId, 1]]), config, isLemma, seed);
      for (const proof of proofs) one.offer(proof);
      return one.chosen()[0]!.proof.proof;
    });
    for (const text of ['x', 'y', 'z']) expect(chosen.filter((proof) => proof === text).length).toBeGreaterThan(5);
  });
});

describe('lemmas', () => {
  const seedsWith = (count: number, premises: string[]) =>
    Array.from({ length: count }, (_, index) => proved(`theorem a (n : Nat) : n + ${index} = n`, 'rfl', { premises }));
  const inputs = (proofs: readonly Proved[], statements: number, noLemmaProbability: number) => {
    const seeds = new SeedProofs(new Map(proofs.map((proof) => [proof.statementId, 1])), config, isLemma, 2);
    for (const proof of proofs) seeds.offer(proof);
    return conjectureInputs(seeds.chosen(), statements, { ...config, noLemmaProbability }, randomStream(2));
  };

  it('are those of the library that the proof names, each once', () => {
    const [seed] = seedsWith(1, ['Stp.l', 'Other', 'Stp.k', 'Stp.l']);
    expect(inputs([seed!], 100, 0).map(({ lemma }) => lemma)).toEqual(['Stp.k', 'Stp.l']);
  });
  it('come beside none with the given chance', () => {
    const seeds = seedsWith(400, ['Stp.l']);
    const without = inputs(seeds, 100_000, 0.5).filter(({ lemma }) => lemma === null).length;
    expect(without).toBeGreaterThan(140);
    expect(without).toBeLessThan(260);
    expect(inputs(seedsWith(20, []), 100_000, 1)).toHaveLength(20);
    expect(inputs(seedsWith(20, []), 100_000, 0)).toHaveLength(0);
  });
  it('are capped by pairs with a statement, before repetition by matching weight', () => {
    // A tenth of 30 statements: three pairs a lemma, and three with none.
    const capped = inputs(seedsWith(10, ['Stp.l', 'Stp.k']), 30, 1);
    const uses = Map.groupBy(capped, ({ lemma }) => lemma);
    expect([...uses].map(([lemma, own]) => [lemma, own.length])).toEqual([
      ['Stp.k', 3],
      ['Stp.l', 3],
      [null, 3],
    ]);
    const repeated = repeatInputs(capped, () => 5, 1_000, 10_000, 1, randomStream(3));
    expect(repeated.filter(({ lemma }) => lemma === 'Stp.l')).toHaveLength(15);
  });
});

describe('the list that is sampled from', () => {
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  const repeat = (weight: number, statements: number, wanted: number, copiesMax = 8) =>
    repeatInputs(numbers, () => weight, statements, wanted, copiesMax, randomStream(4));
  it('has each input as often as it weighs, and copies of the whole up to the wanted number', () => {
    expect(repeat(1, 100, 35)).toHaveLength(30);
    expect(repeat(2, 100, 100)).toHaveLength(100);
    for (const number of numbers) expect(repeat(2, 100, 100).filter((one) => one === number)).toHaveLength(10);
  });
  it('makes no more copies than allowed, and at least one', () => {
    expect(repeat(1, 100, 1_000)).toHaveLength(80);
    expect(repeat(1, 100, 10)).toHaveLength(10);
  });
  it('is cut to the number of statements before it is copied (STP: 3 × statements // inputs copies)', () => {
    expect(repeat(3, 12, 36)).toHaveLength(36);
    expect(repeat(256, 12, 36, 1)).toHaveLength(12);
  });
  it('is never longer than asked for, with any numbers', () => {
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.nat(40),
        fc.nat(400),
        fc.integer({ min: 1, max: 8 }),
        (weight, statements, wanted, copies) => {
          expect(repeat(weight, statements, wanted, copies).length).toBeLessThanOrEqual(wanted);
        },
      ),
      { seed: 2 },
    );
  });
  it('is empty without inputs: a round with no seeds makes no conjecture', () => {
    expect(repeatInputs([], () => 1, 100, 100, 8, randomStream(1))).toEqual([]);
  });
});

it('places for conjectures are a number, one a statement, or one an unproved statement', () => {
  expect([
    conjecturesMax(7, 100, 40),
    conjecturesMax('statements', 100, 40),
    conjecturesMax('unproved', 100, 40),
  ]).toEqual([7, 100, 40]);
});

it('a round attempts what is unproved or rarely proved, and a few others', () => {
  const { selection } = resolveConfig({ preset: 'stp-code' });
  expect(isAttempted(undefined, selection, 0.99)).toBe(true);
  expect(isAttempted(0.3499, selection, 0.99)).toBe(true);
  expect(isAttempted(0.35, selection, 0.99)).toBe(false);
  expect(isAttempted(0.35, selection, 0.0499)).toBe(true);
});

describe('target pairs', () => {
  const theorems = [
    libraryTheorem('Stp.a', { file: 'A.lean' }),
    libraryTheorem('Stp.b', { file: 'A.lean' }),
    ...Array.from({ length: 6 }, (_, index) => libraryTheorem(`Stp.x${index}`, { file: 'A.lean' })),
    libraryTheorem('Stp.c', { file: 'A.lean', premises: ['Stp.a', 'Stp.z'] }),
    libraryTheorem('Stp.z', { file: 'B.lean' }),
  ];
  it('go from a later theorem to one of the same file that it uses, before mere neighbours', () => {
    const one = targetPairs(theorems, 1, randomStream(1)).map(({ target, easier }) => [target.name, easier.name]);
    expect(one.find(([target]) => target === 'Stp.c')).toEqual(['Stp.c', 'Stp.a']);
    expect(one.filter(([target]) => target === 'Stp.z' || target === 'Stp.a')).toEqual([]);
  });
  it('are all of them without a limit: those used and five neighbours', () => {
    const own = targetPairs(theorems, null, randomStream(1)).filter(({ target }) => target.name === 'Stp.c');
    expect(own.map(({ easier }) => easier.name).sort()).toEqual([
      'Stp.a',
      'Stp.x1',
      'Stp.x2',
      'Stp.x3',
      'Stp.x4',
      'Stp.x5',
    ]);
  });
});
