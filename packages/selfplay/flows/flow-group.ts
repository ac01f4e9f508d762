/**
 * Walks from one statement as what a flow is trained on. States that several walks meet are one state, and the way back from it is taken
 * to each of the ways in that were seen with the same chance. A proof that counts has the reward 1; all else has less, and the less the
 * more goals are open and the less verifiers make of the tactic that led there.
 */
import type { FlowGroup } from '@stp/config';
import type { Walk } from '@stp/config/records';

type Trajectory = FlowGroup['trajectories'][number];
type State = Trajectory['states'][number];

/** The text by which the policy says that it stops; as a tactic it fails wherever a goal is left. */
export const STOP_TACTIC = 'done';

export interface RewardedWalk extends Walk {
  /** Whether its proof counts; false for a walk that found none. */
  readonly isProof: boolean;
}

/** Log rewards, where a proof that counts has 0: of a tactic that Lean refuses, and of a state with goals left beside one for each goal. */
const DEAD = -8;
const OPEN = -4;

/** Natural logarithm of the reward for where a walk ended. */
export function endReward({ end, states, scores, isProof }: RewardedWalk): number {
  if (isProof) return 0;
  if (end === 'done' || end === 'dead') return DEAD;
  return openReward(states.at(-1)!.goals, scores?.at(-1) ?? 0);
}

/** Whatever verifiers say, a state with goals left stays below a proof. */
const openReward = (goals: number, score: number): number => OPEN - goals + Math.max(OPEN, Math.min(-OPEN, score));

/**
 * Null where no walk left its first state.
 *
 * @param known all walks that tell of ways into states, those of `walks` included
 * @param promptOf the prompt in which the policy meets a state
 */
export function flowGroup(
  statementId: string,
  walks: readonly RewardedWalk[],
  known: readonly Walk[],
  promptOf: (goal: Walk['states'][number]['goal']) => string,
): FlowGroup | null {
  const waysIn = new Map<string, Set<string>>();
  /** The best score on each state: several tactics may lead to it, and its reward is one. */
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
    // Every end has one way in: the state before it and the tactic.
    const last: State = { prompt: '', stop: null, logReward: endReward(walk), logBackward: 0 };
    return [{ states: [...open, last], targets: walk.written }];
  });
  return trajectories.length === 0 ? null : { group: statementId, trajectories, weight: 1, role: 'prover' };
}
