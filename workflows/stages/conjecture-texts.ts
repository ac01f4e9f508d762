/**
 * Makes the texts of a round's conjectures with its conjecturer (`packages/config/schemas/conjecturers`). All machines
 * of the run sample shares of the model's texts. One machine joins them and samples the texts that a lost machine left.
 */

import type { ArtifactRef } from '@stp/config/records';
import { conjecturerIn } from '@stp/config/workflow';
import type { ConjecturerInput } from '../../activities/conjecturers/conjecturer-turn.ts';
import type { SampleConjecturesInput } from '../../activities/conjecturers/model/conjecture-parts.ts';
import { lean, oneOfSeveral } from '../control/activity-proxies.ts';
import { onEveryNode, warnOf } from '../nodes/every-node.ts';
import { byOne } from '../nodes/machine-pool.ts';

export async function conjectureTexts(
  hostQueues: readonly string[],
  input: SampleConjecturesInput & ConjecturerInput,
): Promise<ArtifactRef> {
  const { before, isLearned, after } = conjecturerIn(input.config.conjectures);
  const doing = (turn: { readonly doing: string }) => lean(`${turn.doing} ${input.plan.count} statements`);
  // A run without a learned conjecturer has only the activity after the sampling.
  if (!isLearned) return doing(after!)[after!.activity](input);
  if (before === null) return sampledTexts(hostQueues, input);
  const typed = await doing(before)[before.activity](input);
  const texts = await sampledTexts(hostQueues, { ...input, name: `${input.name}/decoded`, plan: typed.plan });
  return doing(after)[after.activity]({ ...input, typed, texts });
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
