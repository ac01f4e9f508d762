/**
 * Copies a model to the disk of every machine that will sample from it, at the same time, while the work is still being
 * planned. A run with one machine fetches the model when it samples.
 */
import type { CheckpointRef } from '@stp/config/records';
import { onceOnNode, onEveryNode, warnOf } from './every-node.ts';

/** Enough for a hundred gigabytes over a slow line. */
const LIMITS = { runSeconds: 6 * 3_600 };

/** A machine that cannot copy the model is only logged: it is dropped when it cannot do its work. */
export async function readyNodes(run: string, queues: readonly string[], checkpoint: CheckpointRef): Promise<void> {
  if (queues.length < 2) return;
  const outcomes = await onEveryNode(
    queues,
    (queue) => onceOnNode(queue, 'the model onto this machine', LIMITS).copyCheckpoint({ run, checkpoint }),
    { together: false },
  );
  warnOf(outcomes, 'a machine has not got the model ahead of its work');
}
