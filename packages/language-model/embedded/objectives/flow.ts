/**
 * GFlowNet losses over trajectories of states. A trajectory has one sequence for each step, and one for each text by
 * which the policy may stop, if the balance needs it. With F(s) = R(s) / π(stop | s) as the flow through a state, a
 * step s → s' is balanced when F(s) π(s' | s) = F(s') P_B(s | s'). With a prior every π is π / π_ref^prior: the
 * reference model's probability of a text is a part of its reward.
 */
import { type FlowGroup, type FlowObjective, flowGroupSchema } from '@stp/config';
import type { Evaluated, Objective, Sequence, SequenceLogprobs, StepItem } from './objective.ts';

interface FlowNumbers {
  readonly group: string;
  readonly weight: number;
  readonly trajectories: readonly TrajectoryNumbers[];
}

interface TrajectoryNumbers {
  readonly logRewards: readonly number[];
  readonly logBackward: readonly number[];
  /** For each state whose stop the balance needs: whether the policy may stop there. */
  readonly stops: readonly boolean[];
}

/** A trajectory with its texts' contributions to the flow, each with the index of its sequence in the record. */
interface Trajectory extends TrajectoryNumbers {
  readonly steps: readonly Term[];
  /** Null if the policy has no choice: it stops there with probability 1. */
  readonly stopTerms: readonly (Term | null)[];
}

interface Term {
  /** Log-probability under the policy, minus the prior's. */
  readonly gain: number;
  readonly sequence: number;
}

export function flowObjective(config: FlowObjective): Objective<FlowGroup, FlowNumbers> {
  const asksEveryStop = config.balance === 'subtrajectory';
  const stopsOf = ({ states }: FlowGroup['trajectories'][number]): boolean[] =>
    states.map(({ stop }, at) => stop !== null && (asksEveryStop || at === states.length - 1));
  /** Index of each group's log Z among the objective's variables. */
  const groups = new Map<string, number>();
  const indexOf = (group: string): number => {
    const index = groups.get(group) ?? groups.size;
    groups.set(group, index);
    return index;
  };
  return {
    schema: flowGroupSchema,
    sequences: ({ trajectories, weight }) => (weight === 0 ? [] : trajectories.flatMap(sequencesOf(stopsOf))),
    numbers: (row) => ({
      group: row.group,
      weight: row.weight,
      trajectories: row.trajectories.map((trajectory) => ({
        logRewards: trajectory.states.map(({ logReward }) => logReward),
        logBackward: trajectory.states.map(({ logBackward }) => logBackward),
        stops: stopsOf(trajectory),
      })),
    }),
    needs: { current: true, first: false, reference: config.prior > 0 },
    variableCount(all) {
      if (config.balance !== 'trajectory') return 0;
      for (const { group } of all) indexOf(group);
      return groups.size;
    },
    evaluate(items, variables) {
      const weight = items.reduce((sum, { numbers }) => sum + numbers.weight, 0);
      let loss = 0;
      const changed = new Map<number, number>();
      const slopes = items.map((item) => {
        const share = item.numbers.weight / weight;
        const index = indexOf(item.numbers.group);
        const own = groupLoss(trajectoriesOf(item, config.prior), config, variables[index] ?? 0);
        loss += share * own.loss;
        if (config.balance === 'trajectory')
          changed.set(index, (changed.get(index) ?? variables[index]!) - config.logZRate * share * own.logZSlope);
        return item.sequences.map(({ length }, sequence) =>
          new Float64Array(length).fill(share * (own.slopes.get(sequence) ?? 0)),
        );
      });
      return { loss, slopes, variables: changed, weight } satisfies Evaluated;
    },
  };
}

const sequencesOf =
  (stopsOf: (trajectory: FlowGroup['trajectories'][number]) => boolean[]) =>
  (trajectory: FlowGroup['trajectories'][number]): Sequence[] => {
    const { states, targets } = trajectory;
    const steps = targets.map((target, at) => ({ prompt: states[at]!.prompt, target }));
    const stops = stopsOf(trajectory).flatMap((asked, at) =>
      asked ? [{ prompt: states[at]!.prompt, target: states[at]!.stop! }] : [],
    );
    return [...steps, ...stops];
  };

/** The inverse of `sequencesOf`, with numbers instead of texts. */
function trajectoriesOf({ numbers, sequences }: StepItem<FlowNumbers>, prior: number): Trajectory[] {
  let next = 0;
  const term = (): Term => {
    const sequence = next++;
    return { gain: gainOf(sequences[sequence]!, prior), sequence };
  };
  return numbers.trajectories.map((trajectory) => {
    const steps = trajectory.logRewards.slice(1).map(term);
    const stopTerms = trajectory.stops.map((asked) => (asked ? term() : null));
    return { ...trajectory, steps, stopTerms };
  });
}

function gainOf({ current, reference, length }: SequenceLogprobs, prior: number): number {
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += prior === 0 ? current[at]! : current[at]! - prior * reference[at]!;
  return sum;
}

interface GroupLoss {
  readonly loss: number;
  /** Derivative by each sequence's log-probability, by the sequence's index. */
  readonly slopes: ReadonlyMap<number, number>;
  readonly logZSlope: number;
}

function groupLoss(trajectories: readonly Trajectory[], config: FlowObjective, logZ: number): GroupLoss {
  return config.balance === 'subtrajectory'
    ? stretchesLoss(trajectories, config.lambda)
    : wholesLoss(trajectories, config.balance === 'trajectory' ? logZ : null);
}

/**
 * Returns the mean over the trajectories of (log Z + log P_F − log R − log P_B)²; a null log Z is replaced by the
 * best fit to the group.
 */
function wholesLoss(trajectories: readonly Trajectory[], logZ: number | null): GroupLoss {
  const surplus = trajectories.map(({ steps, stopTerms, logBackward, logRewards }) => {
    const forward = steps.reduce((sum, { gain }) => sum + gain, stopTerms.at(-1)?.gain ?? 0);
    const backward = logBackward.slice(1).reduce((sum, value) => sum + value, 0);
    return forward - backward - logRewards.at(-1)!;
  });
  const share = 1 / trajectories.length;
  const mean = surplus.reduce((sum, value) => sum + share * value, 0);
  const residuals = surplus.map((value) => value + (logZ ?? -mean));
  const slopes = new Map<number, number>();
  // If log Z is the group's mean, its own derivative is 0: the residuals add up to 0.
  trajectories.forEach(({ steps, stopTerms }, index) => {
    for (const { sequence } of [...steps, ...stopTerms.filter((stop) => stop !== null)])
      slopes.set(sequence, 2 * share * residuals[index]!);
  });
  return {
    loss: residuals.reduce((sum, value) => sum + share * value ** 2, 0),
    slopes,
    logZSlope: residuals.reduce((sum, value) => sum + 2 * share * value, 0),
  };
}

/**
 * Returns the mean over the trajectories of Σ λ^(n−1) (surplus of a stretch of n steps)² / Σ λ^(n−1), over all their
 * stretches.
 */
function stretchesLoss(trajectories: readonly Trajectory[], lambda: number): GroupLoss {
  const share = 1 / trajectories.length;
  const slopes = new Map<number, number>();
  const add = (term: Term | null, slope: number): void => {
    if (term !== null) slopes.set(term.sequence, (slopes.get(term.sequence) ?? 0) + slope);
  };
  let loss = 0;
  for (const { steps, stopTerms, logRewards, logBackward } of trajectories) {
    const logFlow = logRewards.map((logReward, at) => logReward - (stopTerms[at]?.gain ?? 0));
    /** Σ over the steps before a state of log π − log P_B. */
    const climbed = [0];
    for (const [at, { gain }] of steps.entries()) climbed.push(climbed[at]! + gain - logBackward[at + 1]!);
    let weights = 0;
    const stretches: {
      readonly from: number;
      readonly to: number;
      readonly weight: number;
      readonly surplus: number;
    }[] = [];
    for (let length = 1; length <= steps.length; length += 1)
      for (let from = 0; from + length <= steps.length; from += 1) {
        const to = from + length;
        const surplus = logFlow[from]! - logFlow[to]! + climbed[to]! - climbed[from]!;
        const weight = lambda ** (length - 1);
        weights += weight;
        stretches.push({ from, to, weight, surplus });
      }
    for (const { from, to, weight, surplus } of stretches) {
      loss += (share * weight * surplus ** 2) / weights;
      const slope = (2 * share * weight * surplus) / weights;
      add(stopTerms[from]!, -slope);
      add(stopTerms[to]!, slope);
      for (let at = from; at < to; at += 1) add(steps[at]!, slope);
    }
  }
  return { loss, slopes, logZSlope: 0 };
}
