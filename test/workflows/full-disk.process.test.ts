/**
 * Tests a run whose store is full: it continues by itself when there is space again, and waits for a person if space
 * would not help. The server's clock jumps over waits; costs about 15 s.
 */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { edgeInterceptors } from '../../activities/edge.ts';
import { cannotWrite } from '../../infra/stores/store-errors.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { timeSkippingServer } from '../support/temporal.ts';
import { fakeActivities, HOST_QUEUE } from './fake-activities.ts';

/** Processes, one after the other, each of which takes as long as the machine has it take. */
vi.setConfig({ testTimeout: 180_000 });

let server: TestWorkflowEnvironment;
let codePath: string;
beforeAll(async () => {
  [server, codePath] = await Promise.all([timeSkippingServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

/** A run of one round whose writer of shards fails so often; what it waits for, if it does, and the attempts it made. */
async function play(reason: string, failures: number) {
  const fakes = fakeActivities(1);
  const { planShards } = fakes.activities;
  let attempts = 0;
  fakes.activities.planShards = async (input) => {
    attempts += 1;
    if (attempts <= failures)
      throw cannotWrite('file:///runs/a', Object.assign(new Error(reason), { code: reason, syscall: 'write' }));
    return planShards(input);
  };
  const common = {
    connection: server.nativeConnection,
    activities: fakes.activities,
    interceptors: { activity: [edgeInterceptors] },
  };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: contracts.CONTROL_QUEUE, workflowBundle: { codePath } }),
    ...[HOST_QUEUE, contracts.LEAN_QUEUE].map((taskQueue) => Worker.create({ ...common, taskQueue })),
  ]);
  let work = async () => {
    const handle = await server.client.workflow.start(contracts.SELFPLAY_TYPE, {
      workflowId: contracts.selfplayWorkflowId(`full-${reason.toLowerCase()}-${failures}`),
      taskQueue: contracts.CONTROL_QUEUE,
      args: [{ rounds: 1 }],
    });
    // Waiting for the result has the clock jump; a run that waits for a person ends by its own abort.
    const waiting = async (): Promise<string | null> => {
      for (;;) {
        const [progress, { status }] = await Promise.all([handle.query(contracts.progressQuery), handle.describe()]);
        if (progress.waiting !== null) {
          await handle.executeUpdate(contracts.abortUpdate);
          return progress.waiting;
        }
        if (status.name !== 'RUNNING') return null;
        await server.sleep('10 minutes');
      }
    };
    const why = await waiting();
    const done = await handle.result().then(
      () => true,
      () => false,
    );
    return { why, done, attempts };
  };
  for (const worker of workers) {
    const inner = work;
    work = () => worker.runUntil(inner);
  }
  return work();
}

describe('a run whose disk is full', () => {
  it('goes on by itself when there is space again', { tags: ['slow'] }, async () => {
    expect(await play('ENOSPC', 4)).toMatchObject({ why: null, done: true });
  });

  it('waits for a person when there is none for long', async () => {
    expect(await play('ENOSPC', 100)).toMatchObject({ why: expect.stringContaining('Free space'), attempts: 5 });
  });
});

it('a run that may not write there waits for a person at once', async () => {
  expect(await play('EACCES', 100)).toMatchObject({ why: expect.stringContaining('the right to write'), attempts: 1 });
});
