/**
 * The schedule that starts the janitor. The first control worker creates it. It outlives all workers, and newer
 * versions update it.
 */
import {
  Client,
  type ConnectionLike,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { CONTROL_QUEUE, JANITOR_TYPE } from '../workflows/control/contracts.ts';

/** Longest time that leftovers of a lost worker hold a node's memory if no worker starts there meanwhile. */
const JANITOR_EVERY = '10 minutes';
/** Missed sweeps are not made up for, since the next sweep finds everything. */
const CATCH_UP_WINDOW = '1 minute';

const SCHEDULE = {
  spec: { intervals: [{ every: JANITOR_EVERY }] },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP_WINDOW },
  action: {
    type: 'startWorkflow',
    workflowType: JANITOR_TYPE,
    workflowId: JANITOR_TYPE,
    taskQueue: CONTROL_QUEUE,
    args: [],
  },
} as const satisfies Omit<ScheduleOptions, 'scheduleId'>;

/** Creates or updates the schedule for this version. An existing schedule stays paused if a person paused it. */
export async function scheduleJanitor(connection: ConnectionLike, namespace: string): Promise<void> {
  const { schedule } = new Client({ connection, namespace });
  try {
    await schedule.create({ scheduleId: JANITOR_TYPE, ...SCHEDULE });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await schedule.getHandle(JANITOR_TYPE).update(({ state }) => ({ ...SCHEDULE, state }));
  }
}
