/** Walks as flow groups, and the replay buffer. Pure. */

import { flowGroupSchema } from '@stp/config';
import { describe, expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { endReward, flowGroup, type RewardedWalk, STOP_TACTIC } from './flow-group.ts';
import { ReplayBuffer } from './replay-buffer.ts';

const walk = (
  keys: string,
  written: readonly string[],
  end: RewardedWalk['end'],
  isProof = end === 'done',
): RewardedWalk => ({
  statementId: 's',
  index: 0,
  end,
  isProof,
  written: [...written],
  states: [...keys].map((key) => ({ key, goal: { hypotheses: [], target: key }, goals: key === 'b' ? 2 : 1 })),
});
const groupOf = (walks: readonly RewardedWalk[]) => flowGroup('s', walks, walks, ({ target }) => `<${target}>`);

describe('walks as a flow group', () => {
  it('have a state for every prompt, and at the end the reward of where they ended', () => {
    const group = flowGroupSchema.parse(groupOf([walk('ab', ['x', 'y'], 'done')]));
    const [{ states, targets }] = group.trajectories as [(typeof group.trajectories)[number]];
    expect(targets).toEqual(['x', 'y']);
    expect(states).toEqual([
      { prompt: '<a>', stop: STOP_TACTIC, logReward: -5, logBackward: 0 },
      { prompt: '<b>', stop: STOP_TACTIC, logReward: -6, logBackward: -0 },
      { prompt: '', stop: null, logReward: 0, logBackward: 0 },
    ]);
  });

  it('share merged states: the way back is taken to each way in with the same chance', () => {
    const group = groupOf([
      walk('ac', ['x', 'end'], 'done'),
      walk('abc', ['z', 'y', 'end'], 'done'),
      walk('ac', ['x', 'no'], 'dead'),
    ])!;
    // Into c lead x from a, seen twice, and y from b.
    expect(group.trajectories.map(({ states }) => states.map(({ logBackward }) => logBackward + 0))).toEqual([
      [0, -Math.log(2), 0],
      [0, 0, -Math.log(2), 0],
      [0, -Math.log(2), 0],
    ]);
  });

  it('end in an open state where they stopped or were cut off, and leave none where they never began', () => {
    const group = groupOf([walk('ab', ['x'], 'stopped'), walk('ab', ['x'], 'open'), walk('a', [], 'stopped')])!;
    expect(group.trajectories.map(({ states, targets }) => [states.length, targets.length])).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(groupOf([walk('a', [], 'open')])).toBeNull();
  });

  it('hear verifiers on open states: the best word on a way in counts, and lifts none to a proof', () => {
    const said = (own: RewardedWalk, scores: number[]): RewardedWalk => ({ ...own, scores });
    const rewardsOf = (...walks: RewardedWalk[]) =>
      groupOf(walks)!.trajectories.map(({ states }) => states.map(({ logReward }) => logReward));
    // b has two goals, so it has -6 without a word, c has -5.
    expect(rewardsOf(said(walk('abc', ['x', 'y'], 'stopped'), [1.5, -0.5]))).toEqual([[-5, -4.5, -5.5]]);
    expect(rewardsOf(said(walk('abc', ['x', 'y'], 'open'), [99, -99]))).toEqual([[-5, -2, -9]]);
    // Both walks meet c, and its reward is one.
    expect(rewardsOf(said(walk('ac', ['x'], 'stopped'), [-3]), said(walk('ac', ['y', 'end'], 'done'), [2, 7]))).toEqual(
      [
        [-5, -3],
        [-5, -3, 0],
      ],
    );
    expect(endReward(said(walk('ac', ['x'], 'stopped'), [-3]))).toBe(-8);
    expect(endReward(said(walk('ac', ['x', 'no'], 'dead'), [2, 9]))).toBe(-8);
  });

  it('reward proofs that count most, then states by their goals, then what Lean refuses; a proof that does not count as that', () => {
    const rewards = [
      walk('a', ['x'], 'done'),
      walk('aa', ['x'], 'stopped'),
      walk('ab', ['x'], 'open'),
      walk('a', ['x'], 'dead'),
      walk('a', ['x'], 'done', false),
    ].map((one) => endReward(one));
    expect(rewards).toEqual([0, -5, -6, -8, -8]);
  });
});

describe('the replay buffer', () => {
  it('keeps the best, and of two that are nearly the same the better one', () => {
    const buffer = new ReplayBuffer<string>(2);
    buffer.add('first', 'induction n <;> simp', -3);
    buffer.add('worse twin', 'induction m <;> simp', -4);
    expect(buffer.items).toEqual(['first']);
    buffer.add('better twin', 'induction k <;> simp', -1);
    expect(buffer.items).toEqual(['better twin']);
    buffer.add('other', 'omega', -2);
    buffer.add('best', 'exact foo (bar baz) qux', 0);
    expect(buffer.items).toEqual(['best', 'better twin']);
  });

  it('draws in proportion to rewards, with replacement, and nothing where it is empty', () => {
    const buffer = new ReplayBuffer<string>(10);
    expect(buffer.draw(5, randomStream(1))).toEqual([]);
    buffer.add('often', 'aaaaaaaa', 0);
    buffer.add('seldom', 'zzzzzzzz', Math.log(1 / 9));
    const drawn = buffer.draw(2_000, randomStream(1));
    expect(drawn.filter((item) => item === 'often').length / 2_000).toBeCloseTo(0.9, 1);
  });
});
