/** Asks the Temporal server how many workers poll a queue. */

import { getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** `TaskQueueType` of Temporal's API: of activities. */
const ACTIVITIES = 2;
/** `DescribeTaskQueueMode`: with all partitions of the queue. */
const ENHANCED = 1;

export function countWorkersActivity() {
  return {
    /** Workers that poll the queue for activities, as far as the server has heard of them in the last minutes. */
    async countWorkers(queue: string): Promise<number> {
      return countWorkers(getClient(), queue);
    },
  };
}

/**
 * As the activity. A queue lies in partitions, and a poller asks one of them; the plain answer knows those of the first (190
 * of 200 in a trial), the enhanced one all. It is asked for plainly where a server no longer has the other.
 */
export async function countWorkers({ workflowService, options }: Client, queue: string): Promise<number> {
  const { namespace } = options;
  const whole = await workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueTypes: [ACTIVITIES], apiMode: ENHANCED, reportPollers: true },
  });
  const workers = new Set<string>();
  for (const { typesInfo } of Object.values(whole.versionsInfo ?? {}))
    for (const { pollers } of Object.values(typesInfo ?? {}))
      for (const { identity } of pollers ?? []) workers.add(identity ?? '');
  if (workers.size > 0) return workers.size;
  const { pollers } = await workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueType: ACTIVITIES },
  });
  return (pollers ?? []).length;
}
