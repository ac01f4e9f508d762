/** An open run of another version is told apart from one that this version can go on with. About 10 s. */
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { reportUnfollowable, requireFollowable } from '../../workers/followable.ts';
import { workerSettings } from '../../workers/settings.ts';
import { CONTROL_QUEUE, SELFPLAY_TYPE } from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { fakeActivities } from '../workflows/fake-activities.ts';

let server: TestWorkflowEnvironment;
let codePath: string;
beforeAll(async () => {
  [server, codePath] = await Promise.all([localServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

/** Starts a run and works on it until it waits for an activity of the host. */
async function begin(workflowId: string, workflows: { workflowsPath: string } | { workflowBundle: object }) {
  const fakes = fakeActivities();
  const worker = await Worker.create({
    ...(workflows as { workflowsPath: string }),
    connection: server.nativeConnection,
    taskQueue: CONTROL_QUEUE,
    activities: fakes.activities,
  });
  const handle = await server.client.workflow.start(SELFPLAY_TYPE, {
    workflowId,
    taskQueue: CONTROL_QUEUE,
    args: [{ rounds: 1 }],
  });
  await worker.runUntil(() => expect.poll(() => fakes.calls).toContain('provisionNodes'));
  return handle;
}

it('a run of these workflows can be gone on with', async () => {
  const handle = await begin('stp/own', { workflowBundle: { codePath } });
  await requireFollowable(server.client, 'stp/own', codePath);
  await handle.terminate();
});

it('a run of other workflows is refused, with what to do', async () => {
  const handle = await begin('stp/other', { workflowsPath: join(import.meta.dirname, 'other-version.ts') });
  await expect(requireFollowable(server.client, 'stp/other', codePath)).rejects.toMatchObject({
    code: 'STP1103',
    message: 'stp/other was begun by another version, whose steps this one cannot follow',
    advice: expect.stringContaining('--init-from'),
  });
  const said: string[] = [];
  // The list of open runs is seen a moment later.
  await expect
    .poll(async () => {
      await reportUnfollowable(server.client, codePath, (line) => said.push(line));
      return said;
    })
    .toEqual(expect.arrayContaining([expect.stringContaining('STP1103 run of another version: stp/other')]));
  await handle.terminate();
});
