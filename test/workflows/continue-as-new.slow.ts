/**
 * A run of so many rounds that its workflow continues as new, on a real Temporal server. Half a minute.
 *
 * @module-tag slow
 */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { fakeActivities, HOST_QUEUE } from './fake-activities.ts';
import { historiesOf, replay } from './replay.ts';
import { type StandingWorkers, standingWorkers } from './standing-workers.ts';

let server: TestWorkflowEnvironment;
let workers: StandingWorkers;
beforeAll(async () => {
  server = await localServer();
  workers = await standingWorkers(server, [HOST_QUEUE, contracts.LEAN_QUEUE]);
});
afterAll(async () => {
  await workers?.stop();
  await server?.teardown();
});

it('carries everything over a continue-as-new, and both histories replay', async () => {
  const fakes = fakeActivities(1);
  await workers.with(fakes, async () => {
    const { workflowId } = await server.client.workflow.start(contracts.SELFPLAY_TYPE, {
      workflowId: contracts.selfplayWorkflowId('long'),
      taskQueue: contracts.CONTROL_QUEUE,
      args: [{ rounds: 22 }],
    });
    // Of the last of its executions.
    await server.client.workflow.getHandle(workflowId).result();
    expect(fakes.calls.filter((call) => call.startsWith('prepareRun'))).toHaveLength(1);
    expect(fakes.calls).toContain('writeReport 23');
    expect(fakes.calls.filter((call) => call === 'cleanUpNode after')).toHaveLength(1);
    const replayed = await replay(await historiesOf(server.client));
    expect(replayed.filter(({ error }) => error !== null)).toEqual([]);
    expect(replayed.filter((one) => one.workflowId === workflowId)).toHaveLength(2);
  });
});
