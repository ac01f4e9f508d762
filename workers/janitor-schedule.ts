/** The schedule that starts the janitor. Whichever control worker comes first makes it; it outlives them all. */
import { Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { CONTROL_QUEUE, JANITOR_TYPE } from '../workflows/contracts.ts';

/** What a lost worker leaves behind holds a node's memory for so long at most, where no worker starts there meanwhile. */
const JANITOR_EVERY = '10 minutes';
/** No sweep is made up for: the next one finds all. */
const CATCH_UP_WINDOW = '1 minute';

export async function scheduleJanitor(connection: NativeConnection, namespace: string): Promise<void> {
  const client = new Client({ connection, namespace });
  try {
    await client.schedule.create({
      scheduleId: JANITOR_TYPE,
      spec: { intervals: [{ every: JANITOR_EVERY }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP_WINDOW },
      action: {
        type: 'startWorkflow',
        workflowType: JANITOR_TYPE,
        workflowId: JANITOR_TYPE,
        taskQueue: CONTROL_QUEUE,
        args: [],
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}
