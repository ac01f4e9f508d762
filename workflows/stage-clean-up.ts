/** Ends the Lean processes of a run on its node where a stage that checked something is over. Cheap where none is left. */
import { log } from '@temporalio/workflow';
import { host } from './activity-proxies.ts';

/** What the stage found matters more than what it left behind: a clean-up that fails is a line in the log. */
export async function endLean(run: string, hostQueue: string, stage: 'prove' | 'certify'): Promise<void> {
  try {
    await host(hostQueue, `end Lean after ${stage}`).cleanUpNode(run, `after_${stage}`, 'lean');
  } catch (error) {
    log.warn('Lean could not be ended on the node', { run, stage, error });
  }
}
