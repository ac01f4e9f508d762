/** The clean-up of a node shows that it is alive while it works; the janitor cleans nodes that were away when a run ended. */

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeanEnvironment } from '@stp/lean-verifier';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { cleanUpNodeActivity } from '../../activities/every-node/clean-up-node.ts';
import { createNodeActivities } from '../../activities/index.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { localRunName, workerSettings } from '../../workers/settings.ts';
import { CONTROL_QUEUE, JANITOR_TYPE } from '../../workflows/control/contracts.ts';
import { unasked } from '../support/stand-ins.ts';
import { timeSkippingServer } from '../support/temporal.ts';

it('sends heartbeats while a node is cleaned', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 260 });
  const beaten = new Promise((resolve) => environment.once('heartbeat', resolve));
  const report = { node: 'a', processesEnded: 1, memoryBytesFreed: 2, cpuSecondsUsed: 3, scratchBytesFreed: 4 };
  const nodes = {
    cleanUp: () => beaten.then(() => report),
    ...{ provision: unasked, sweep: unasked, runsWithFiles: unasked, release: unasked },
  };
  const { cleanUpNode } = cleanUpNodeActivity({
    nodes,
    monitor: async () => ({ log: async () => undefined }),
  });
  expect(await environment.run(() => cleanUpNode('run', 'after'))).toEqual(report);
});

it('of the janitor removes what runs have left that are known to be over, and nothing else', async () => {
  const [server, codePath, directory] = await Promise.all([
    timeSkippingServer(),
    workflowBundle(workerSettings().cacheDirectory),
    mkdtemp(join(tmpdir(), 'stp-janitor-')),
  ]);
  const settings = workerSettings({ STP_CACHE: directory });
  // Lean is not asked for anything here.
  const ports = await assemblePorts(settings, {} as LeanEnvironment);
  try {
    const left = (run: string, storeUri = settings.storeUri): string => localRunName(storeUri, run);
    const elsewhere = left('ended', 'file:///elsewhere');
    const kept = [elsewhere, ...['open', 'ended-and-open', 'unknown'].map((run) => left(run))];
    for (const name of [left('ended'), ...kept])
      await mkdir(join(settings.scratchDirectory, name, 'checkpoints'), { recursive: true });
    const start = (workflowId: string) =>
      server.client.workflow.start('stp-selfplay', { workflowId, taskQueue: 'nobody', args: [] });
    for (const id of ['stp/open', 'stp-evaluate/ended-and-open']) await start(id);
    for (const id of ['stp/ended', 'stp/ended-and-open']) await (await start(id)).terminate();
    const connection = server.nativeConnection;
    const control = await Worker.create({
      ...{ connection, taskQueue: CONTROL_QUEUE, workflowBundle: { codePath } },
      activities: {
        findHosts: async () => ({ hostQueues: ['host/here'], openRuns: ['listed'] }),
        releaseClosedRuns: async () => [],
      },
    });
    const node = await Worker.create({ connection, taskQueue: 'host/here', activities: createNodeActivities(ports) });
    const janitor = { workflowId: JANITOR_TYPE, taskQueue: CONTROL_QUEUE };
    await control.runUntil(node.runUntil(server.client.workflow.execute(JANITOR_TYPE, janitor)));
    expect((await readdir(settings.scratchDirectory)).sort()).toEqual(kept.sort());
  } finally {
    await ports.close();
    await server.teardown();
    await rm(directory, { recursive: true });
  }
});
