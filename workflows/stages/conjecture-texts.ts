/**
 * The texts of a round's conjectures: explored, where the configuration asks for that; else the conjecturer's, sampled by all
 * machines of the run, each its share, and put together by one, which also samples what a lost machine has left. Equations that
 * the model wrote under a grammar are tested before they are texts.
 */

import type { ArtifactRef } from '@stp/config/records';
import type { SampleConjecturesInput } from '../../activities/round/conjecture-parts.ts';
import type { ExploreConjecturesInput } from '../../activities/round/explored-texts.ts';
import { lean, oneOfSeveral } from '../control/activity-proxies.ts';
import { byOne } from '../nodes/machine-pool.ts';
import { onEveryNode, warnOf } from '../nodes/every-node.ts';

export async function conjectureTexts(
  hostQueues: readonly string[],
  input: SampleConjecturesInput & ExploreConjecturesInput,
): Promise<ArtifactRef> {
  const { source } = input.config.conjectures;
  if (source === 'explore' || source === 'random')
    return lean(`explore the functions of ${input.plan.count} places`).exploreConjectures(input);
  if (source === 'decode' || source === 'both') {
    const typed = await lean(`read the functions of ${input.plan.count} places`).typeConjectures(input);
    const texts = await sampledTexts(hostQueues, { ...input, name: `${input.name}/decoded`, plan: typed.plan });
    return lean(`test ${texts.count} equations`).testConjectures({ ...input, typed, texts });
  }
  return sampledTexts(hostQueues, input);
}

async function sampledTexts(hostQueues: readonly string[], input: SampleConjecturesInput): Promise<ArtifactRef> {
  const summary = `conjecture ${input.plan.count} texts`;
  const of = hostQueues.length;
  if (of > 1) {
    const shares = await onEveryNode(
      hostQueues,
      (queue, share) =>
        oneOfSeveral(queue, `${summary}, share ${share + 1} of ${of}`).sampleConjectureShare({ ...input, share, of }),
      { together: false },
    );
    warnOf(shares, 'a share of the conjectures is sampled elsewhere');
  }
  return byOne(hostQueues, summary, (machine) => machine.sampleConjectures(input));
}
