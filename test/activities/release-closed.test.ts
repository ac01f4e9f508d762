/**
 * Machines of closed runs when the server's list is out of date: a run that was restarted under its name keeps its
 * machines.
 */

import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { releaseClosedRunsActivity } from '../../activities/control/release-closed-runs.ts';
import type { RunProvider } from '../../infra/nodes/provider.ts';

const NODES = {
  provider: 'tpu',
  project: 'test-project',
  zone: 'us-central2-b',
  accelerator: 'v4-8',
};

/** A server that lists these runs as closed, and knows better when it is asked for one of them. */
function client(known: Readonly<Record<string, 'RUNNING' | 'TERMINATED' | 'forgotten' | 'away'>>): Client {
  const workflow = {
    async *list() {
      for (const workflowId of Object.keys(known))
        yield { workflowId, status: { name: 'TERMINATED' }, memo: { nodes: NODES } };
    },
    getHandle: (workflowId: string) => ({
      async describe() {
        const status = known[workflowId]!;
        if (status === 'forgotten') throw new WorkflowNotFoundError('no such workflow', workflowId, undefined);
        if (status === 'away') throw new Error('the server is away');
        return { status: { name: status } };
      },
    }),
  };
  const withAbortSignal = (_signal: AbortSignal, work: () => Promise<unknown>): Promise<unknown> => work();
  return { workflow, withAbortSignal } as unknown as Client;
}

it('asks about each run before it gives its machines back', async () => {
  const released: string[] = [];
  const provider = (run: string): RunProvider =>
    ({
      name: run,
      label: run,
      provider: {
        async release(label: string) {
          released.push(label);
          return { left: [] };
        },
      },
    }) as unknown as RunProvider;
  const { releaseClosedRuns } = releaseClosedRunsActivity({ provider });
  const runs = {
    'stp/again': 'RUNNING',
    'stp/ended': 'TERMINATED',
    'stp/old': 'forgotten',
    'stp/unsure': 'away',
  } as const;
  const environment = new MockActivityEnvironment({}, { client: client(runs) });
  const left = await environment.run(releaseClosedRuns, { workflowType: 'stp-selfplay', memo: 'nodes' });
  expect(released).toEqual(['ended', 'old']);
  expect(left).toEqual(['unsure: the server is away']);
});
