/**
 * Combines the walks from one statement into a training record of a flow. States that several walks meet are one state,
 * and the backward policy is uniform over the ways in that were seen. A counting proof has reward 1. Every other end
 * has less: the less, the more goals are open and the lower verifiers score the tactic that led there.
 */
import type { FlowGroup } from '@stp/config';
import type { Walk } from '@stp/config/records';

type Trajectory = FlowGroup['trajectories'][number];
type State = Trajectory['states'][number];

/** The tactic by which the policy stops. It fails wherever a goal is left. */
export const STOP_TACTIC = 'done';

export interface RewardedWalk extends Walk {
  /** Whether its proof counts; false for a walk without a proof. */
  readonly isProof: boolean;
}

/**
 * Log rewards, relative to 0 for a counting proof: of a tactic that Lean refuses; and of a state with open goals, from
 * which each goal subtracts one.
 */
const DEAD = -8;
const OPEN = -4;

/** Returns the natural logarithm of the reward for the end of a walk. */
export function endReward({ end, states, scores, isProof }: RewardedWalk): number {
  if (isProof) return 0;
  if (end === 'done' || end === 'dead') return DEAD;
  return openReward(states.at(-1)!.goals, scores?.at(-1) ?? 0);
}

/** Whatever verifiers say, a state with open goals stays below a proof. */
const openReward = (goals: number, score: number): number => OPEN - goals + Math.max(OPEN, Math.min(-OPEN, score));

/**
 * Returns null if no walk left its first state.
 *
 * @param known all walks that show ways into states, including `walks`
 * @param promptOf returns the prompt in which the policy sees a state
 */
export function flowGroup(
  statementId: string,
  walks: readonly RewardedWalk[],
  known: readonly Walk[],
  promptOf: (goal: Walk['states'][number]['goal']) => string,
): FlowGroup | null {
  const waysIn = new Map<string, Set<string>>();
  /** The best score of each state: several tactics may lead to it, but its reward is unique. */
  const scoreOn = new Map<string, number>();
  for (const { states, written, scores } of known)
    states.slice(1).forEach(({ key }, at) => {
      if (scores !== undefined) scoreOn.set(key, Math.max(scores[at]!, scoreOn.get(key) ?? Number.NEGATIVE_INFINITY));
      waysIn.set(key, (waysIn.get(key) ?? new Set()).add(`${states[at]!.key} ${written[at]!}`));
    });
  const trajectories = walks.flatMap((walk): Trajectory[] => {
    const open = walk.states.map(
      ({ key, goal, goals }, at): State => ({
        prompt: promptOf(goal),
        stop: STOP_TACTIC,
        logReward: openReward(goals, scoreOn.get(key) ?? 0),
        logBackward: at === 0 ? 0 : -Math.log(waysIn.get(key)!.size),
      }),
    );
    if (walk.written.length === 0) return [];
    if (walk.end === 'stopped' || walk.end === 'open') return [{ states: open, targets: walk.written }];
    // Every end has one way in: the previous state and the tactic.
    const last: State = { prompt: '', stop: null, logReward: endReward(walk), logBackward: 0 };
    return [{ states: [...open, last], targets: walk.written }];
  });
  return trajectories.length === 0 ? null : { group: statementId, trajectories, weight: 1, role: 'prover' };
}
