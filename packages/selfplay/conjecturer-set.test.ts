/** Which conjectures train the conjecturer and how much each counts: bands, lemmas, elegancy, rewards. */

import { learnedConjecturer, resolveConfig } from '@stp/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConjectureFacts, chooseConjectures } from './conjecturer-set.ts';
import { dropInelegant } from './elegancy.ts';
import { orderKey } from './random.ts';

const conjecturerOf = (preset: string) => learnedConjecturer(resolveConfig({ preset }).conjectures);
const code = conjecturerOf('stp-code');
const paper = conjecturerOf('stp-paper');
const order = (id: string): string => orderKey('test', id);
const fact = (id: string, successes: number, more: Partial<ConjectureFacts> = {}): ConjectureFacts => ({
  id,
  lemma: 'Stp.l',
  tally: { successes, attempts: 8 },
  statementChars: 100,
  shortestProofChars: successes > 0 ? 50 : null,
  usesLemma: true,
  ...more,
});
const chosen = (facts: readonly ConjectureFacts[], config: typeof code) => chooseConjectures(facts, config, order);

describe('the band', () => {
  it('excludes a conjecture at pass rate exactly 0.25 (code) or includes it (paper)', () => {
    expect([chosen([fact('c', 2)], code).length, chosen([fact('c', 2)], paper).length]).toEqual([0, 1]);
    expect([chosen([fact('c', 1)], code).length, chosen([fact('c', 3)], paper).length]).toEqual([1, 0]);
  });
  it('holds nothing without a certified proof, however often the screen let it through', () => {
    expect(chosen([fact('c', 1, { shortestProofChars: null })], code)).toEqual([]);
  });
});

describe('the lemma', () => {
  it('must be used (paper)', () => {
    expect(chosen([fact('used', 1), fact('unused', 1, { usesLemma: false })], paper).map(({ id }) => id)).toEqual([
      'used',
    ]);
  });
  it('is dropped from the example of a conjecture that did not use it (code)', () => {
    expect(chosen([fact('unused', 1, { usesLemma: false })], code)).toEqual([
      { id: 'unused', withLemma: false, weight: 1 },
    ]);
  });
  it('asks nothing of a conjecture for which none was asked', () => {
    expect(chosen([fact('c', 1, { lemma: null, usesLemma: false })], paper)).toEqual([
      { id: 'c', withLemma: false, weight: 1 },
    ]);
  });
  it.each([
    [2, 0, 6],
    [0, 4, 4],
    [2, 9, 9],
    [0.5, 0, 1],
  ])(
    'unused by many, with factor %d and least %d: %i are kept beside the 3 that used it',
    (factor, least, expected) => {
      const facts = [
        ...Array.from({ length: 3 }, (_, index) => fact(`used ${index}`, 1)),
        ...Array.from({ length: 20 }, (_, index) => fact(`unused ${index}`, 1, { usesLemma: false })),
      ];
      const config = { ...code, unusedLemmaFactor: factor, unusedLemmaLeast: least };
      expect(chosen(facts, config).filter(({ withLemma }) => !withLemma)).toHaveLength(expected);
    },
  );
});

describe('elegancy', () => {
  const values = (elegancies: number[], share = 0.2) =>
    dropInelegant(
      elegancies.map((elegancy) => ({ elegancy, group: 'l' })),
      share,
    ).map(({ elegancy }) => elegancy);
  it('keeps a group of one', () => expect(values([0.1])).toEqual([0.1]));
  it('drops of five what is strictly below the second smallest', () => {
    expect(values([5, 1, 4, 3, 2])).toEqual([5, 4, 3, 2]);
    expect(values([5, 1, 4, 3, 1])).toEqual([5, 1, 4, 3, 1]);
  });
  it('keeps the most elegant at any share', () => expect(values([1, 2, 3], 1)).toEqual([3]));
  it('never drops more than the share of a group', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 1 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (all, share) => {
          const dropped = all.length - values(all, share).length;
          expect(dropped).toBeLessThanOrEqual(Math.floor(share * all.length));
        },
      ),
      { seed: 1 },
    );
  });
  const five = [1, 2, 3, 4, 5].map((index) =>
    fact(`c${index}`, 1, { lemma: `Stp.l${index}`, shortestProofChars: 10 * index }),
  );
  it('is measured over all conjectures (paper) or within the group of each lemma (code)', () => {
    expect(chosen(five, paper).map(({ id }) => id)).toEqual(['c2', 'c3', 'c4', 'c5']);
    expect(chosen(five, code)).toHaveLength(5);
  });
  it('groups relabelled conjectures as one, without a lemma (code)', () => {
    const relabelled = five.map((one) => ({ ...one, usesLemma: false }));
    expect(chosen(relabelled, code).map(({ id }) => id)).toEqual(['c2', 'c3', 'c4', 'c5']);
  });
});

it('does not depend on the order of the facts', () => {
  const facts = Array.from({ length: 30 }, (_, index) =>
    fact(`c${index}`, index % 9, { usesLemma: index % 3 === 0, lemma: `l${index % 4}` }),
  );
  const limited = {
    ...code,
    reward: { kind: 'band' as const, bandMax: 1, bandInclusive: false },
    unusedLemmaFactor: 0,
    unusedLemmaLeast: 5,
  };
  for (const config of [limited, paper]) {
    const expected = chosen(facts, config);
    fc.assert(
      fc.property(fc.shuffledSubarray(facts, { minLength: 30 }), (shuffled) => {
        expect(chosen(shuffled, config)).toEqual(expected);
      }),
      { numRuns: 20, seed: 2 },
    );
  }
});
