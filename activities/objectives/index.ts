/** The objectives that train by reward: the makers of their training records, and their tables in the report. */

import type { RewardObjective, RunObjective } from '@stp/config';
import { gfnExamples } from './gfn/flow-groups.ts';
import { groupsSection } from './groups-section.ts';
import { grpoExamples } from './grpo/policy-examples.ts';
import type { ObjectiveExamples, ObjectiveSection, RewardedRounds } from './rewarded-rounds.ts';

const EXAMPLES: { readonly [Kind in RewardObjective['kind']]: ObjectiveExamples<Kind> } = {
  grpo: grpoExamples,
  gfn: gfnExamples,
};

export const objectiveExamples = (objective: RewardObjective, rounds: RewardedRounds) =>
  (EXAMPLES[objective.kind] as ObjectiveExamples<RewardObjective['kind']>)(objective, rounds);

export const OBJECTIVE_SECTIONS: { readonly [Kind in RunObjective['kind']]?: ObjectiveSection } = {
  grpo: groupsSection,
  gfn: groupsSection,
};
