/**
 * Selects the results of a proved round: the conjectures that train, the samples' rewards, and the examples and counts
 * of the manifest.
 */

import { type CheckpointRef, trainsByReward } from '@stp/config/workflow';
import type { Gated } from '../../activities/control/admit-conjectures.ts';
import type { Finished } from '../../activities/control/finish-round.ts';
import type { RoundContext } from '../../activities/round/round-context.ts';
import { streaming } from '../control/activity-proxies.ts';
import { matchConjectures } from './match-conjectures.ts';
import type { ProvedRound } from './prove-round.ts';

export interface SelectRoundInput {
  /** With the library as it was before the round. */
  readonly context: RoundContext;
  readonly hostQueues: readonly string[];
  /** The model that the round played with. */
  readonly checkpoint: CheckpointRef;
  /** Null: the round had no conjectures. */
  readonly gated: Gated | null;
  readonly played: ProvedRound;
}

export async function selectRound({
  context: before,
  hostQueues,
  checkpoint,
  gated,
  played,
}: SelectRoundInput): Promise<Finished> {
  const { shards, rates, proved, disagreements, library } = played;
  const context = { ...before, library };
  const { run, name, config } = context;
  const conjectures = gated?.conjectures ?? null;
  const chosen =
    conjectures === null
      ? null
      : await streaming('choose conjectures').chooseConjectures({ ...context, conjectures, rates, proved });
  const matched =
    chosen === null ? null : await matchConjectures({ run, name, hostQueues, chosen, checkpoint, config });
  const { objective, seed } = config;
  const rewards = trainsByReward(objective)
    ? await streaming('reward the samples').rewardRound({
        run,
        name,
        shards,
        config: { rewards: objective.rewards, seed },
      })
    : null;
  return streaming('filter, weigh and write the manifest').finishRound({
    ...context,
    ...(rewards === null ? {} : { rewards }),
    modelIn: checkpoint.model,
    shards,
    conjectures,
    conjecturesMade: gated?.made ?? 0,
    gate: gated?.counts ?? {},
    ...(gated?.ranker === undefined ? {} : { ranker: gated.ranker }),
    rates,
    proved,
    disagreements,
    conjecturesKept: chosen?.chosen ?? null,
    conjecturesMatched: matched,
  });
}
