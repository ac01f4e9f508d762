/** Between verification and training: what was proved, what trains, and the round's manifest. */

import type { Ports } from '../ports.ts';
import { retrainSetActivities } from '../training/retrain-set.ts';
import { chooseConjecturesActivities } from './choose-conjectures.ts';
import { collectActivities } from './collect.ts';
import { finishRoundActivities } from './finish-round.ts';

export function selectActivities(ports: Ports) {
  return {
    ...collectActivities(ports),
    ...chooseConjecturesActivities(ports),
    ...finishRoundActivities(ports),
    ...retrainSetActivities(ports),
  };
}
