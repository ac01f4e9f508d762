/** A run as another version might have it: it gets nodes first, and then does what none of ours does. */
import { proxyActivities } from '@temporalio/workflow';
import type { ControlActivities } from '../../activities/index.ts';

async function otherRun(): Promise<void> {
  const { provisionNodes, findHosts } = proxyActivities<ControlActivities>({
    startToCloseTimeout: '1 minute',
  });
  await provisionNodes('other');
  await findHosts({ workflowTypes: [], memo: 'none' });
}

export { otherRun as 'stp-selfplay' };
