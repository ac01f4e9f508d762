/** A run as another version might have it: it gets nodes first, then does what none of ours does, and stays open. */
import { condition, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities } from '../../activities/index.ts';

async function otherRun(): Promise<void> {
  const { provisionNodes, findHosts } = proxyActivities<ControlActivities>({
    startToCloseTimeout: '1 minute',
  });
  await provisionNodes('other');
  await findHosts({ workflowTypes: [], memo: 'none' });
  await condition(() => false);
}

export { otherRun as 'stp-selfplay' };
