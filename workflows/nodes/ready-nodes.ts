/**
 * Has a model on the disk of every machine that will sample from it, all at the same time, while the work is still being cut. One
 * machine fetches it when it is asked to sample.
 */
import type { CheckpointRef } from '@stp/config/records';
import { onceOnNode, onEveryNode, warnOf } from './every-node.ts';

/** A hundred gigabytes over a slow line. */
const LIMITS = { runSeconds: 6 * 3_600 };

/** A machine that cannot is a line in the log: whether it is of use shows when it is given work. */
export async function readyNodes(run: string, queues: readonly string[], checkpoint: CheckpointRef): Promise<void> {
  if (queues.length < 2) return;
  const outcomes = await onEveryNode(
    queues,
    (queue) => onceOnNode(queue, 'the model onto this machine', LIMITS).copyCheckpoint({ run, checkpoint }),
    { together: false },
  );
  warnOf(outcomes, 'a machine has not got the model ahead of its work');
}
