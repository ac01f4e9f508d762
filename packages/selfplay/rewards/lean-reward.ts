/** The reward by Lean: 1 for a proof, 0 for what Lean or the format refused. */
import type { SampleReward } from '@stp/config/records';
import type { JudgedSample, RewardSource } from './reward.ts';

export const leanReward: RewardSource = {
  name: 'lean',
  rewards: async (groups) => groups.flatMap(({ samples }) => samples.map(rewardOf)),
};

function rewardOf({ sample, verdict }: JudgedSample): SampleReward {
  const sampleId = sample.id;
  const missing = (why: string): SampleReward => ({ kind: 'missing', sampleId, why });
  if (verdict === null) return missing('it was not verified');
  switch (verdict.kind) {
    case 'infra':
      return missing('Lean could not be run on it');
    case 'header_error':
      return missing('what stands above its statement does not compile');
    case 'proved':
      return { kind: 'reward', sampleId, value: 1 };
    default:
      return { kind: 'reward', sampleId, value: 0 };
  }
}
