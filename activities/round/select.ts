/** Between verification and training: what was proved, what trains, and the round's manifest. */

import type { Ports } from '../ports.ts';
import { chooseConjecturesActivities } from './choose-conjectures.ts';
import { collectActivities } from './collect.ts';
import { finishRoundActivities } from './finish-round.ts';
import { retrainSetActivities } from './retrain-set.ts';

export function selectActivities(ports: Ports) {
  return {
    ...collectActivities(ports),
    ...chooseConjecturesActivities(ports),
    ...finishRoundActivities(ports),
    ...retrainSetActivities(ports),
  };
}
