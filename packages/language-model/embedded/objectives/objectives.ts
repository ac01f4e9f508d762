/** The objective of a configuration. */
import type { ObjectiveConfig } from '@stp/config';
import { flowObjective } from './flow.ts';
import { likelihood } from './likelihood.ts';
import type { Objective } from './objective.ts';
import { policyObjective } from './policy.ts';
import { preferenceObjective } from './preference.ts';

export function objectiveOf(config: ObjectiveConfig): Objective {
  switch (config.kind) {
    case 'likelihood':
      return likelihood as Objective;
    case 'grpo':
      return policyObjective(config) as Objective;
    case 'dpo':
      return preferenceObjective(config) as Objective;
    case 'gfn':
      return flowObjective(config) as Objective;
  }
}
