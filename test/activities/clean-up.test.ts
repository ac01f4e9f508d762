/** The clean-up of a node shows that it is alive while it works. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { nodeActivities } from '../../activities/nodes/nodes.ts';
import type { Ports } from '../../activities/ports.ts';

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
