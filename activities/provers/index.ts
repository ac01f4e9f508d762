/** The activities of all provers, by the queue that runs them, and the provers' sections in the report. */

import type { ProverMode } from '@stp/config';
import type { Ports } from '../ports.ts';
import { judgeShardActivity } from './judged/judge-shard.ts';
import { reviseShardActivity } from './revise/revise-shard.ts';
import { reviseSection } from './revise/section.ts';
import { rankActionsActivity } from './scripts/rank-actions.ts';
import { scriptShardActivity } from './scripts/script-shard.ts';
import type { ProverSection } from './shard-turn.ts';
import { searchShardActivity } from './steps/search-shard.ts';
import { stepsSection } from './steps/section.ts';
import { walksSection } from './walks/section.ts';
import { walkShardActivity } from './walks/walk-shard.ts';
import { sampleShardActivity } from './whole/sample-shard.ts';

export const proverControlActivities = (ports: Ports) => ({
  ...judgeShardActivity(ports),
  ...rankActionsActivity(ports),
});

export const proverHostActivities = (ports: Ports) => ({
  ...sampleShardActivity(ports),
  ...reviseShardActivity(ports),
  ...searchShardActivity(ports),
  ...walkShardActivity(ports),
});

export const proverLeanActivities = (ports: Ports) => ({ ...scriptShardActivity(ports) });

/** Report tables of the provers that have figures of their own. */
export const PROVER_SECTIONS: { readonly [Mode in ProverMode]?: ProverSection } = {
  revise: reviseSection,
  steps: stepsSection,
  both: stepsSection,
  walks: walksSection,
};
