/** Rewards and advantages as pure functions. */

import type { Sample, SampleReward, Verdict, VerdictKind } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { describe, expect, it } from 'vitest';
import { advantages } from './advantages.ts';
import { leanReward } from './lean-reward.ts';
import { mixedReward } from './mixed-reward.ts';
import type { RewardGroup, RewardSource } from './reward.ts';

const OPTIONS = { signal: new AbortController().signal, stream: [1], onProgress: () => undefined };
const draws = (...values: number[]) => values.map((value) => ({ value, multiplicity: 1 }));

describe('advantages', () => {
  it('are rewards less the mean over the sample standard deviation, as GRPO has them', () => {
    const found = advantages(draws(1, 0, 0, 0), { advantage: 'deviation' })!;
    // Mean 1/4; squares 9/16 and three of 1/16 over n − 1 = 3: a deviation of 1/2.
    expect(found[0]).toBeCloseTo(0.75 / 0.5, 5);
    for (const other of found.slice(1)) expect(other).toBeCloseTo(-0.25 / 0.5, 5);
  });

  it('are not divided for Dr. GRPO', () => {
    expect(advantages(draws(1, 0, 0, 0), { advantage: 'mean' })).toEqual([0.75, -0.25, -0.25, -0.25]);
  });

  it('count a text as often as it was drawn', () => {
    const once = advantages(draws(1, 1, 0), { advantage: 'deviation' })!;
    const twice = advantages([{ value: 1, multiplicity: 2 }, ...draws(0)], { advantage: 'deviation' })!;
    expect(twice).toEqual([once[0], once[2]]);
  });

  it.each([
    ['a single draw', draws(1)],
    ['equal rewards', draws(0, 0, 0)],
    ['nothing', []],
  ])('there are none of %s', (_, group) => {
    expect(advantages(group, { advantage: 'deviation' })).toBeNull();
  });
});

const group = (...kinds: readonly (VerdictKind | null)[]): RewardGroup => ({
  statement: statement('theorem a : p'),
  samples: kinds.map((kind, at) => ({
    sample: { id: `s${at}` } as Sample,
    verdict: kind === null ? null : ({ kind } as Verdict),
  })),
});

describe('the reward by Lean', () => {
  it('is 1 for what is proved and 0 for what is refused; what nobody could say is no number', async () => {
    const kinds = group('proved', 'rejected', 'timeout', 'no_proof', 'infra', 'header_error', null);
    const rewards = await leanReward.rewards([kinds], OPTIONS);
    expect(rewards.map((reward) => (reward.kind === 'reward' ? reward.value : null))).toEqual([
      ...[1, 0, 0, 0],
      ...[null, null, null],
    ]);
    expect(rewards.map(({ sampleId }) => sampleId)).toEqual(kinds.samples.map(({ sample }) => sample.id));
  });
});

describe('mixed rewards', () => {
  const judge: RewardSource = {
    name: 'judge',
    rewards: async (groups) =>
      groups.flatMap(({ samples }) =>
        samples.map(({ sample }, at): SampleReward => {
          if (at === 2) return { kind: 'missing', sampleId: sample.id, why: 'the answer was cut off' };
          return { kind: 'reward', sampleId: sample.id, value: 0.5, parts: { marks: 3 } };
        }),
      ),
  };

  it('are weighted sums, and missing where one of them is', async () => {
    const source = mixedReward([
      { source: leanReward, weight: 2 },
      { source: judge, weight: 0.5 },
    ]);
    const all = group('proved', 'infra', 'rejected', 'rejected');
    expect(await source.rewards([all], OPTIONS)).toEqual([
      { kind: 'reward', sampleId: 's0', value: 2.25, parts: { lean: 1, judge: 0.5, marks: 3 } },
      { kind: 'missing', sampleId: 's1', why: 'lean: Lean could not be run on it' },
      { kind: 'missing', sampleId: 's2', why: 'judge: the answer was cut off' },
      { kind: 'reward', sampleId: 's3', value: 0.25, parts: { lean: 0, judge: 0.5, marks: 3 } },
    ]);
  });
});
