/** The clean-up of a node shows that it is alive while it works; the janitor cleans nodes that were away when a run ended. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment, type TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeActivities } from '../../activities/nodes/nodes.ts';
import type { Ports } from '../../activities/ports.ts';
import { localNodes } from '../../infra/nodes/local-nodes.ts';
import { timeSkippingServer } from '../support/temporal.ts';

it('sends heartbeats while a node is cleaned', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 260 });
  const beaten = new Promise((resolve) => environment.once('heartbeat', resolve));
  const report = { node: 'a', processesEnded: 1, memoryBytesFreed: 2, cpuSecondsUsed: 3, scratchBytesFreed: 4 };
  const nodes = { cleanUp: () => beaten.then(() => report) };
  const { cleanUpNode } = nodeActivities({
    nodes,
    monitor: async () => ({ log: async () => undefined }),
  } as unknown as Ports);
  expect(await environment.run(() => cleanUpNode('run', 'after'))).toEqual(report);
});

describe('the janitor on a node', () => {
  let server: TestWorkflowEnvironment;
  beforeAll(async () => {
    server = await timeSkippingServer();
  });
  afterAll(() => server?.teardown());

  it('removes what runs have left that are known to be over, and nothing else', async () => {
    const scratchDirectory = await mkdtemp(join(tmpdir(), 'stp-janitor-'));
    const machine = localNodes({ scratchDirectory, taskQueue: 'host/here' });
    const runs = ['ended', 'open', 'ended-and-open', 'unknown'];
    for (const run of runs) await mkdir(join(scratchDirectory, run, 'checkpoints'), { recursive: true });
    const start = (workflowId: string) =>
      server.client.workflow.start('stp-selfplay', { workflowId, taskQueue: 'nobody', args: [] });
    for (const id of ['stp/open', 'stp-evaluate/ended-and-open']) await start(id);
    for (const id of ['stp/ended', 'stp/ended-and-open']) await (await start(id)).terminate();
    const { sweepNode } = nodeActivities({ nodes: machine } as unknown as Ports);
    const environment = new MockActivityEnvironment({}, { client: server.client });
    await environment.run(() => sweepNode(['listed'], ['stp/', 'stp-evaluate/']));
    expect((await readdir(scratchDirectory)).sort()).toEqual(['ended-and-open', 'open', 'unknown']);
    await rm(scratchDirectory, { recursive: true });
  });
});
