/** Compares the objectives with closed forms, and their slopes with central differences. No model. About 1 s. */

import type { FlowGroup, ObjectiveConfig } from '@stp/config';
import { objectiveConfigSchema } from '@stp/config/testing';
import { describe, expect, test } from 'vitest';
import { finiteDifference } from '../../testing/reference.ts';
import type { Objective, SequenceLogprobs, StepItem } from './objective.ts';
import { objectiveOf } from './objectives.ts';

const configured = (config: { readonly kind: ObjectiveConfig['kind']; readonly [key: string]: unknown }) =>
  objectiveOf(objectiveConfigSchema.parse(config));

const sequence = (current: number[], first: number[] = current, reference: number[] = current): SequenceLogprobs => ({
  current,
  first,
  reference,
  length: current.length,
});

const NO_VARIABLES = new Float64Array(0);
const lossOf = (objective: Objective, items: readonly StepItem<unknown>[], variables = NO_VARIABLES): number =>
  objective.evaluate(items, variables).loss!;

/** Every slope is the derivative of the loss by that log-probability. */
function expectSlopes(objective: Objective, items: readonly StepItem<unknown>[], variables = NO_VARIABLES): void {
  const { slopes } = objective.evaluate(items, variables);
  items.forEach(({ sequences }, item) => {
    sequences.forEach(({ current }, sequence) => {
      Array.from(current).forEach((value, token) => {
        const lossAt = (x: number): number => {
          const moved = items.map((other, at) =>
            at !== item
              ? other
              : {
                  ...other,
                  sequences: other.sequences.map((own, index) =>
                    index !== sequence ? own : { ...own, current: Array.from(own.current).with(token, x) },
                  ),
                },
          );
          return lossOf(objective, moved, variables);
        };
        expect(slopes[item]![sequence]![token]).toBeCloseTo(finiteDifference(lossAt, value), 6);
      });
    });
  });
}

describe('likelihood', () => {
  test('weighs tokens by their record, and all weights of a step add up to one', () => {
    const objective = configured({ kind: 'likelihood' });
    const { slopes, loss } = objective.evaluate(
      [
        { numbers: { weight: 3 }, sequences: [sequence([-1, -2])] },
        { numbers: { weight: 1 }, sequences: [sequence([-3])] },
      ],
      NO_VARIABLES,
    );
    expect(loss).toBeNull();
    expect(slopes.map(([own]) => Array.from(own!))).toEqual([[-3 / 7, -3 / 7], [-1 / 7]]);
  });
});

describe('grpo', () => {
  const item = (advantage: number, own: SequenceLogprobs, weight = 1, logprob: number | null = null) => ({
    numbers: { weight, advantage, logprob },
    sequences: [own],
  });
  const ratio = (value: number) => sequence([Math.log(value) - 1], [-1]);

  test.for([
    { name: 'inside the clip', advantage: 2, rho: 1.1, loss: -2.2 },
    { name: 'above it, to be raised', advantage: 2, rho: 1.5, loss: -2.4 },
    { name: 'below it, to be raised', advantage: 2, rho: 0.5, loss: -1 },
    { name: 'below it, to be lowered', advantage: -2, rho: 0.5, loss: 1.6 },
    { name: 'above it, to be lowered', advantage: -2, rho: 2, loss: 4 },
    { name: 'far above it, to be lowered: the dual clip', advantage: -2, rho: 9, loss: 6 },
  ])('$name', ({ advantage, rho, loss }) => {
    const objective = configured({ kind: 'grpo' });
    const items = [item(advantage, ratio(rho))];
    expect(lossOf(objective, items)).toBeCloseTo(loss, 12);
    expectSlopes(objective, items);
  });

  test.for([
    { aggregation: 'token-mean', loss: -(3 * 1 + 2 * 2) / 5 },
    { aggregation: 'seq-mean-token-sum', loss: -(3 * 1 + 2 * 2) / 2 },
    { aggregation: 'seq-mean-token-mean', loss: -(1 + 2) / 2 },
    { aggregation: 'seq-mean-token-sum-norm', loss: -(3 * 1 + 2 * 2) / 2 / 10 },
  ])('$aggregation', ({ aggregation, loss }) => {
    const objective = configured({ kind: 'grpo', aggregation, lengthNorm: 10 });
    expect(lossOf(objective, [item(1, sequence([-1, -2, -3])), item(2, sequence([-1, -1]))])).toBeCloseTo(loss, 12);
  });

  test('a sample that was drawn twice counts as two', () => {
    const objective = configured({ kind: 'grpo', aggregation: 'seq-mean-token-mean' });
    const [good, bad] = [sequence([-1, -2], [-1.1, -1.9]), sequence([-3], [-2.9])];
    const twice = lossOf(objective, [item(1, good, 2), item(-1, bad)]);
    expect(twice).toBeCloseTo(lossOf(objective, [item(1, good), item(1, good), item(-1, bad)]), 12);
  });

  test.for([
    { klEstimator: 'k1', divergence: -0.5 },
    { klEstimator: 'k2', divergence: 0.125 },
    { klEstimator: 'k3', divergence: Math.exp(0.5) - 0.5 - 1 },
  ])('divergence by $klEstimator', ({ klEstimator, divergence }) => {
    const objective = configured({ kind: 'grpo', klCoefficient: 0.3, klEstimator });
    const items = [item(1, sequence([-2], [-2], [-1.5]))];
    expect(lossOf(objective, items)).toBeCloseTo(-1 + 0.3 * divergence, 12);
    expectSlopes(objective, items);
  });

  test('what another policy sampled counts as often as this one would have, at most twice', () => {
    const objective = configured({ kind: 'grpo' });
    const own = sequence([-1, -1]);
    expect(lossOf(objective, [item(1, own, 1, -2)])).toBeCloseTo(-1, 12);
    expect(lossOf(objective, [item(1, own, 1, -2 + Math.log(2))])).toBeCloseTo(-0.5, 12);
    expect(lossOf(objective, [item(1, own, 1, -9)])).toBeCloseTo(-2, 12);
  });
});

describe('dpo', () => {
  test('is −log σ of how much further than the reference the pair is apart', () => {
    const objective = configured({ kind: 'dpo', beta: 0.5 });
    const pair = (chosen: SequenceLogprobs, rejected: SequenceLogprobs, weight = 1) => ({
      numbers: { weight },
      sequences: [chosen, rejected],
    });
    const equal = pair(sequence([-1, -2]), sequence([-3]));
    expect(lossOf(objective, [equal])).toBeCloseTo(Math.log(2), 12);
    const apart = pair(sequence([-1, -1], [], [-2, -2]), sequence([-4], [], [-3]), 3);
    const loss = -Math.log(1 / (1 + Math.exp(-0.5 * 3)));
    expect(lossOf(objective, [apart])).toBeCloseTo(loss, 12);
    expect(lossOf(objective, [equal, apart])).toBeCloseTo((Math.log(2) + 3 * loss) / 4, 12);
    expectSlopes(objective, [equal, apart]);
    // Values far apart do not overflow.
    const far = pair(sequence([-5000], [], [-1]), sequence([-1], [], [-5000]));
    expect(lossOf(objective, [far])).toBeCloseTo(0.5 * 2 * 4999, 6);
  });
});

describe('flows', () => {
  type State = FlowGroup['trajectories'][number]['states'][number];
  const state = (logReward: number, stop: string | null, logBackward = 0): State => ({
    prompt: 'p',
    stop,
    logReward,
    logBackward,
  });
  const group = (...trajectories: FlowGroup['trajectories']): FlowGroup => ({
    group: 'a',
    trajectories,
    weight: 1,
    role: 'prover',
  });
  const itemOf = (objective: Objective, row: FlowGroup, logprobs: readonly (readonly number[])[]) => {
    expect(objective.sequences(row)).toHaveLength(logprobs.length);
    return { numbers: objective.numbers(row), sequences: logprobs.map((own) => sequence([...own])) };
  };
  const two = group(
    { states: [state(0, 'stop'), state(-1, 'stop')], targets: ['a'] },
    { states: [state(0, 'stop'), state(0, 'stop'), state(-2, null, -0.7)], targets: ['b', 'c'] },
  );

  test('trajectory balance learns log Z by steps of its own gradient', () => {
    const objective = configured({ kind: 'gfn', balance: 'trajectory', logZRate: 0.25, prior: 0 });
    const item = itemOf(objective, two, [[-1], [-0.5], [-2, -1], [-0.3]]);
    expect(objective.variableCount([item.numbers])).toBe(1);
    // Surplus of the first: −1 − 0.5 + 1; of the second: −3.3 + 0.7 + 2.
    const residuals = [0.4 - 0.5, 0.4 - 0.6];
    const variables = Float64Array.of(0.4);
    expect(lossOf(objective, [item], variables)).toBeCloseTo((residuals[0]! ** 2 + residuals[1]! ** 2) / 2, 12);
    expectSlopes(objective, [item], variables);
    const next = objective.evaluate([item], variables).variables.get(0)!;
    expect(next).toBeCloseTo(0.4 - 0.25 * (residuals[0]! + residuals[1]!), 12);
  });

  test('VarGrad is the variance of the surplus', () => {
    const objective = configured({ kind: 'gfn', balance: 'variance', prior: 0 });
    const item = itemOf(objective, two, [[-1], [-0.5], [-2, -1], [-0.3]]);
    expect(lossOf(objective, [item])).toBeCloseTo(0.05 ** 2, 12);
    expectSlopes(objective, [item]);
  });

  test('sub-trajectories: every stretch between two states, stops and merged states included', () => {
    const objective = configured({ kind: 'gfn', balance: 'subtrajectory', lambda: 0.5, prior: 0 });
    const row = group(two.trajectories[1]!);
    // Steps b and c, then the stops of the first two states; the last has no choice.
    const item = itemOf(objective, row, [[-2], [-0.3], [-1.1], [-0.6]]);
    const flows = [0 + 1.1, 0 + 0.6, -2];
    const deltas = [flows[0]! - 2 - flows[1]!, flows[1]! - 0.3 + 0.7 - flows[2]!];
    const loss = (deltas[0]! ** 2 + deltas[1]! ** 2 + 0.5 * (deltas[0]! + deltas[1]!) ** 2) / 2.5;
    expect(lossOf(objective, [item])).toBeCloseTo(loss, 12);
    expectSlopes(objective, [item]);
  });

  test('is nothing where every step is balanced', () => {
    const objective = configured({ kind: 'gfn', balance: 'subtrajectory', prior: 0 });
    // From the first state the policy stops with probability 1/4; with 3/4 it goes on to a state of three times the
    // reward.
    const row = group({ states: [state(0, 'stop'), state(Math.log(3), null)], targets: ['a'] });
    const item = itemOf(objective, row, [[Math.log(3 / 4)], [Math.log(1 / 4)]]);
    expect(lossOf(objective, [item])).toBeCloseTo(0, 12);
  });

  test.for([
    { balance: 'trajectory', loss: (1 + 9) / 2 },
    { balance: 'variance', loss: 1 },
    { balance: 'subtrajectory', loss: (1 + 9) / 2 },
  ])('$balance of the reference tilted by the rewards', ({ balance, loss }) => {
    const objective = configured({ kind: 'gfn', balance });
    expect(objective.needs.reference).toBe(true);
    const end = (logReward: number) => [state(0, null), state(logReward, null)];
    const row = group({ states: end(-1), targets: ['a'] }, { states: end(-3), targets: ['b'] });
    const variables = Float64Array.of(0);
    const itemWith = (reference: number[][], current: number[][]) => ({
      numbers: objective.numbers(row),
      sequences: current.map((own, at) => sequence(own, own, reference[at])),
    });
    // Where the policy equals the reference, only rewards matter, however improbable a text is.
    const reference = [[-1, -0.5], [-40]];
    const item = itemWith(reference, reference);
    expect(lossOf(objective, [item], variables)).toBeCloseTo(loss, 12);
    expectSlopes(objective, [item], variables);
    const tilted = itemWith(reference, [[-1.5, -1], [-43]]);
    expect(lossOf(objective, [tilted], variables)).toBeCloseTo(0, 12);
  });
});
