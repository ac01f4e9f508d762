/** The activities of all conjecturers, by the queue that runs them. */

import type { Ports } from '../ports.ts';
import { giveGrammarsActivity } from './decode/give-grammars.ts';
import { testConjecturesActivity } from './decode/test-conjectures.ts';
import { exploreConjecturesActivity } from './explore/explore-conjectures.ts';
import { sampleConjectureShareActivity } from './model/sample-conjecture-share.ts';
import { sampleConjecturesActivity } from './model/sample-conjectures.ts';

export const conjecturerHostActivities = (ports: Ports) => ({
  ...sampleConjecturesActivity(ports),
  ...sampleConjectureShareActivity(ports),
});

export const conjecturerLeanActivities = (ports: Ports) => ({
  ...exploreConjecturesActivity(ports),
  ...giveGrammarsActivity(ports),
  ...testConjecturesActivity(ports),
});
