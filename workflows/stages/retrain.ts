/** Retraining on everything found so far (docs/algorithm.md, section 9). */

import type { RunState } from '../../activities/run/run-state.ts';
import { streaming } from '../control/activity-proxies.ts';
import { MODEL_DIGITS } from '../control/contracts.ts';
import { trainModel } from './train.ts';

/** Is a retraining due after `round`? */
export function isRetrainDue(state: RunState, round: number, stopping: boolean): boolean {
  const every = state.config.retrain.everyRounds;
  return round > 0 && every > 0 && (round % every === 0 || isLastRound(state, round, stopping));
}

/** Is `round` the last one of the run? */
export const isLastRound = (state: RunState, round: number, stopping: boolean): boolean =>
  round === state.config.rounds || stopping;

/**
 * Trains the base or the SFT model (`retrain.from`) on the SFT set and on everything found so far. Returns the state
 * with the new model.
 */
export async function trainAnew(run: string, state: RunState, round: number): Promise<RunState> {
  const { config, data, sft } = state;
  const name = `retrain/${round}-${state.checkpoint.model.slice(0, MODEL_DIGITS)}`;
  const history = state.outcomes.map((outcome) => outcome.manifest);
  const { replayFrom } = state;
  const examples = await streaming('merge all rounds').retrainSet({
    run,
    round,
    name,
    config,
    data,
    history,
    replayFrom,
  });
  const { model, modelThreads, seed } = config;
  const trained = await trainModel(state.hostQueues, config.engines, `retrain on ${examples.count} examples`, {
    run,
    name: `checkpoints/retrain-${round}`,
    examples,
    heldOut: data.sftEval,
    init: config.retrain.from === 'sft' ? sft.checkpoint : null,
    config: { model, modelThreads, seed },
    optimiser: config.retrain.optimiser,
  });
  return {
    ...state,
    checkpoint: trained.checkpoint,
    // STP §2.11: the replay window is emptied.
    replayFrom: round + 1,
  };
}
