/** The janitor's schedule on a server that has it from an earlier version. Costs about 3 s. */
import { ScheduleOverlapPolicy } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scheduleJanitor } from '../../workers/janitor-schedule.ts';
import { CONTROL_QUEUE, JANITOR_TYPE } from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';

let server: TestWorkflowEnvironment;
beforeAll(async () => {
  server = await localServer();
});
afterAll(() => server?.teardown());

it('an upgraded worker brings the schedule up to date, and leaves it paused', async () => {
  const schedules = server.client.schedule;
  await schedules.create({
    scheduleId: JANITOR_TYPE,
    spec: { intervals: [{ every: '1 day' }] },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: '1 day' },
    action: { type: 'startWorkflow', workflowType: 'old-janitor', workflowId: 'old', taskQueue: 'old', args: [1] },
    state: { paused: true, note: 'a person looks at something' },
  });
  // Twice: two control workers may start at once.
  for (const _ of [1, 2]) await scheduleJanitor(server.connection, 'default');
  const { spec, policies, action, state } = await schedules.getHandle(JANITOR_TYPE).describe();
  expect(spec.intervals).toMatchObject([{ every: 600_000 }]);
  expect(policies).toMatchObject({ overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 60_000 });
  expect(action).toMatchObject({ workflowType: JANITOR_TYPE, taskQueue: CONTROL_QUEUE });
  expect(action.args ?? []).toEqual([]);
  expect(state).toMatchObject({ paused: true, note: 'a person looks at something' });
});
