/** The steps between verification and training: proved statements, rewards, training examples, and the round's manifest. */

import type { Ports } from '../ports.ts';
import { chooseConjecturesActivities } from './choose-conjectures.ts';
import { collectActivities } from './collect.ts';
import { finishRoundActivities } from './finish-round.ts';
import { retrainSetActivities } from './retrain-set.ts';
import { rewardRoundActivities } from './reward-round.ts';

export function selectActivities(ports: Ports) {
  return {
    ...collectActivities(ports),
    ...chooseConjecturesActivities(ports),
    ...rewardRoundActivities(ports),
    ...finishRoundActivities(ports),
    ...retrainSetActivities(ports),
  };
}
