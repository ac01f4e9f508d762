/**
 * The texts of a round's conjectures, as its conjecturer makes them (`packages/config/schemas/conjecturers`). What the model writes is
 * sampled by all machines of the run, each its share, and put together by one, which also samples what a lost machine has left.
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
  const doing = (turn: { readonly doing: string }) => lean(`${turn.doing} ${input.plan.count} places`);
  // A run without a conjecturer has no such stage.
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
