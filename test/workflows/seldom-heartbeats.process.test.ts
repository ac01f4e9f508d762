/**
 * Tests that heartbeats are seldom with hundreds of pieces in flight. One piece fails; the others hear it with their next
 * heartbeat, and end as cancelled. Costs about 16 s.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure, activityInfo, CancelledFailure } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withHeartbeat } from '../../activities/edge.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { fakeActivities, HOST_QUEUE } from './fake-activities.ts';
import { type StandingWorkers, standingWorkers } from './standing-workers.ts';

const SHARDS = 8;
/** Two pieces each are the 400 that are in flight at most. */
const NODES = 200;
const HOURS_MS = 10_000_000;

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

it('a piece that fails ends the others by their next heartbeat', { tags: ['slow'] }, async () => {
  const begun: string[] = [];
  const ended: unknown[] = [];
  const timeouts = new Set<number | undefined>();
  const fakes = fakeActivities(SHARDS);
  fakes.activities.countWorkers = async () => NODES;
  fakes.activities.verifyShard = ({ name }) =>
    withHeartbeat(async (signal) => {
      timeouts.add(activityInfo().heartbeatTimeoutMs);
      begun.push(name);
      while (begun.length < SHARDS) await pause(20);
      if (name.endsWith('5')) throw ApplicationFailure.nonRetryable('the fifth is broken', 'STP1701');
      await pause(HOURS_MS, undefined, { signal });
      throw new Error('nobody ended the shard');
    }).catch((error: unknown) => {
      ended.push(error);
      throw error;
    });
  await workers.with(fakes, async () => {
    const handle = await server.client.workflow.start(contracts.EVALUATE_TYPE, {
      workflowId: contracts.evaluateWorkflowId(randomUUID()),
      taskQueue: contracts.CONTROL_QUEUE,
      args: [{ modelName: 'model' }],
    });
    const failure = await handle.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect(String((failure as WorkflowFailedError).cause?.cause)).toContain('the fifth is broken');
  });
  expect([...timeouts]).toEqual([200_000]);
  expect(begun).toHaveLength(SHARDS);
  expect(ended.filter((error) => error instanceof CancelledFailure)).toHaveLength(SHARDS - 1);
});
