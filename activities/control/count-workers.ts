/** Asks the Temporal server how many workers poll a queue. */

import { getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** `TaskQueueType` of Temporal's API: the activity queue. */
const ACTIVITIES = 2;
/** `DescribeTaskQueueMode` of Temporal's API: report all partitions of the queue. */
const ENHANCED = 1;

export function countWorkersActivity() {
  return {
    /**
     * Returns the number of workers that poll the queue for activities, as far as the server has heard of them in the
     * last minutes.
     */
    async countWorkers(queue: string): Promise<number> {
      return countWorkers(getClient(), queue);
    },
  };
}

/**
 * Counts workers as the activity does. A queue has partitions, and a poller asks only one of them. The plain answer
 * covers the pollers of the first partition, the enhanced answer all. The plain answer serves servers that lack the
 * enhanced one.
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
