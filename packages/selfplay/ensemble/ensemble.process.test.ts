/** Pairs from tries and searches, how members become one number, and the figures of an ensemble. Pure. */

import type { ExpansionRecord } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { combined } from './combine.ts';
import { areaUnderCurve, bestOf, calibrationError, disagreement, groupedArea } from './measure.ts';
import { pairsOf, type Tried } from './pairs.ts';
import { searchTries } from './search-tries.ts';

const tried = (target: string, isRight: boolean, leadsTo: string | null = null): Tried => ({
  target,
  isRight,
  leadsTo,
});
const pairs = (tries: readonly Tried[], max = 100) => pairsOf({ prompt: 'p', tries }, max, randomStream(1));

describe('pairs', () => {
  it('use every target of both sides, as often as the other side needs', () => {
    const found = pairs([tried('r', true), tried('a', false), tried('b', false), tried('c', false)]);
    expect(found.map(({ chosen }) => chosen)).toEqual(['r', 'r', 'r']);
    expect(found.map(({ rejected }) => rejected).sort()).toEqual(['a', 'b', 'c']);
    expect(new Set(found.map(({ prompt }) => prompt))).toEqual(new Set(['p']));
  });

  it('are no more than asked for, and none where one side is empty', () => {
    const tries = Array.from({ length: 20 }, (_, at) => tried(`t${at}`, at % 2 === 0));
    expect(pairs(tries, 4)).toHaveLength(4);
    expect(pairs([tried('a', true), tried('b', true)])).toEqual([]);
  });

  it('have no two tries that lead to the same state, and no text twice', () => {
    const found = pairs([
      tried('simp', true, 's1'),
      tried('simp only [f]', true, 's1'),
      tried('omega', false),
      tried('omega', false),
    ]);
    expect(found).toMatchObject([{ chosen: 'simp', rejected: 'omega' }]);
  });
});

describe('tries of a search', () => {
  type Step = ExpansionRecord['steps'][number];
  const step = (tactic: string, outcome: Step['outcome'], next: string | null = null): Step => ({
    tactic,
    outcome,
    next,
    logprob: -1,
    tokens: 1,
    count: 1,
    leanMs: 1,
  });
  const expansion = (state: string, ...steps: Step[]): ExpansionRecord => ({
    ...{ statementId: 's', index: 0, state, goals: state, goal: { hypotheses: [], target: state } },
    length: 0,
    logprob: 0,
    score: 0,
    steps,
  });
  const of = (...expansions: ExpansionRecord[]) =>
    Object.fromEntries(
      searchTries(expansions).flatMap(({ expansion: { state }, tries }) =>
        tries.map(({ target, isRight }) => [`${state}: ${target}`, isRight]),
      ),
    );

  it('are right on the way to the end, wrong where Lean refuses, where the search comes back, and where all was in vain', () => {
    expect(
      of(
        expansion(
          'root',
          step('way', 'open', 'a'),
          step('bad', 'rejected'),
          step('slow', 'timeout'),
          step('vain', 'open', 'x'),
        ),
        expansion('a', step('end', 'done'), step('same', 'open', 'a'), step('later', 'open', 'unseen')),
        expansion('x', step('deeper', 'open', 'y')),
        expansion('y', step('bad', 'rejected'), step('round', 'open', 'x')),
      ),
    ).toEqual({
      'root: way': true,
      'root: bad': false,
      'root: slow': false,
      'root: vain': false,
      // The value of an unexpanded state is unknown.
      'a: end': true,
      'a: same': false,
      'x: deeper': false,
      'y: bad': false,
      'y: round': false,
    });
  });

  it('say nothing of what Lean could not be asked', () => {
    expect(of(expansion('root', step('lost', 'infra'), step('end', 'done')))).toEqual({ 'root: end': true });
  });
});

describe('members together', () => {
  it('are their mean less so many standard deviations, or the least', () => {
    expect(combined([1, 3], { by: 'mean', caution: 0 })).toBe(2);
    expect(combined([1, 3], { by: 'mean', caution: 0.5 })).toBe(1.5);
    expect(combined([1, 3, 2], { by: 'minimum', caution: 9 })).toBe(1);
  });
});

describe('figures', () => {
  const candidate = (score: number, isRight: boolean, group = 'g') => ({ score, isRight, group });

  it('area under the curve counts ties by half', () => {
    expect(areaUnderCurve([candidate(1, true), candidate(0, false)])).toBe(1);
    expect(areaUnderCurve([candidate(0, true), candidate(1, false)])).toBe(0);
    expect(areaUnderCurve([candidate(0, true), candidate(0, false)])).toBe(0.5);
    expect(areaUnderCurve([candidate(2, true), candidate(1, false), candidate(1, true), candidate(0, false)])).toBe(
      3.5 / 4,
    );
    expect(areaUnderCurve([candidate(0, true)])).toBeNull();
  });

  it('within groups it does not matter that one statement is easier than another', () => {
    const all = [
      ...[candidate(5, true, 'easy'), candidate(4, false, 'easy')],
      ...[candidate(1, true, 'hard'), candidate(0, false, 'hard')],
    ];
    expect(groupedArea(all)).toBe(1);
    expect(areaUnderCurve(all)).toBe(0.75);
  });

  it('calibration error is nothing where a half is right a half of the time', () => {
    expect(calibrationError([candidate(0, true), candidate(0, false)])).toBeCloseTo(0, 12);
    expect(calibrationError([candidate(30, false), candidate(30, false)])).toBeCloseTo(1, 6);
  });

  it('disagreement is the share of pairs in opposite orders', () => {
    expect(
      disagreement([
        [
          [0, 0],
          [1, 1],
        ],
      ]),
    ).toBe(0);
    expect(
      disagreement([
        [
          [0, 1],
          [1, 0],
        ],
      ]),
    ).toBe(1);
    expect(
      disagreement([
        [
          [0, 1],
          [1, 0],
        ],
        [
          [0, 0],
          [1, 1],
        ],
      ]),
    ).toBe(0.5);
  });

  it('best of n is the expectation over which n there are', () => {
    const group = [candidate(2, true), candidate(1, false), candidate(0, false)];
    // Of one: a third. Of two: unless the right one is left out. Of three, or more than there are: the right one.
    expect(bestOf(group, 1)).toBeCloseTo(1 / 3, 12);
    expect(bestOf(group, 2)).toBeCloseTo(2 / 3, 12);
    expect(bestOf(group, 8)).toBeCloseTo(1, 12);
    expect(bestOf([candidate(1, true), candidate(1, false)], 2)).toBeCloseTo(0.5, 12);
  });
});
