/**
 * Combines several sources into the weighted sum of their rewards. A reward that one source cannot give is missing in
 * the sum too.
 */
import type { SampleReward } from '@stp/config/records';
import type { RewardSource } from './reward.ts';

/** @param parts at least one; their names differ */
export function mixedReward(
  parts: readonly { readonly source: RewardSource; readonly weight: number }[],
): RewardSource {
  return {
    name: parts.map(({ source }) => source.name).join('+'),
    async rewards(groups, options) {
      const columns: (readonly SampleReward[])[] = [];
      for (const { source } of parts)
        columns.push(await source.rewards(groups, { ...options, stream: [...options.stream, source.name] }));
      return columns[0]!.map((_, at) =>
        sumOf(columns.map((column, part) => ({ reward: column[at]!, ...parts[part]! }))),
      );
    },
  };
}

function sumOf(
  rewards: readonly { readonly reward: SampleReward; readonly source: RewardSource; readonly weight: number }[],
): SampleReward {
  let value = 0;
  const parts: Record<string, number> = {};
  for (const { reward, source, weight } of rewards) {
    if (reward.kind === 'missing') return { ...reward, why: `${source.name}: ${reward.why}`.slice(0, 512) };
    value += weight * reward.value;
    Object.assign(parts, { [source.name]: reward.value }, reward.parts);
  }
  return { kind: 'reward', sampleId: rewards[0]!.reward.sampleId, value, parts };
}
