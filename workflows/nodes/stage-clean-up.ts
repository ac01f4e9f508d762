/** Ends the Lean processes of a run on its nodes after a stage that checked proofs. Cheap if none is left. */
import { log } from '@temporalio/workflow';
import { nodeIfThere } from '../control/activity-proxies.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

/** Number of nodes asked at once. */
const NODES_AT_ONCE = 50;

/** Ends Lean after a stage. A failed clean-up is only logged, since the stage's result matters more. */
export async function endLean(run: string, hostQueues: readonly string[], stage: 'prove' | 'evaluate'): Promise<void> {
  const limit = new ConcurrencyLimit(NODES_AT_ONCE);
  const onNode = async (hostQueue: string): Promise<void> => {
    try {
      await nodeIfThere(hostQueue, `end Lean after ${stage}`).cleanUpNode(run, `after_${stage}`, 'lean');
    } catch (error) {
      log.warn('Lean could not be ended on the node', { run, stage, hostQueue, error });
    }
  };
  await Promise.all(hostQueues.map((hostQueue) => limit.run(() => onNode(hostQueue))));
}
