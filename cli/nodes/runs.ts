/** Queries of `stp nodes` to the Temporal server: open runs, and the queues of a run's machines. */

import { StpError } from '@stp/base';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DEFAULT_TEMPORAL_ADDRESS } from '../../workers/temporal-address.ts';
import {
  HOST_QUEUES_MEMO,
  SELFPLAY_TYPE,
  selfplayWorkflowId,
  withoutPrefix,
} from '../../workflows/control/contracts.ts';

/** Runs the work with a client. Throws STP1101 if no server answers. */
export async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const connection = await Connection.connect(connectionOptions).catch((cause: unknown) => {
    throw new StpError(
      'STP1101',
      `no Temporal server answers at ${connectionOptions.address ?? DEFAULT_TEMPORAL_ADDRESS}`,
      'Set TEMPORAL_ADDRESS to your server. `sweep` asks it which runs are open; --force sweeps without asking.',
      { retryable: true, cause },
    );
  });
  try {
    return await work(new Client({ connection, ...(namespace === undefined ? {} : { namespace }) }));
  } finally {
    await connection.close();
  }
}

/** Returns the names of open runs. */
export function openRuns(): Promise<string[]> {
  return withClient(async (client) => {
    const names: string[] = [];
    const query = `WorkflowType = '${SELFPLAY_TYPE}' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of client.workflow.list({ query }))
      names.push(withoutPrefix(workflowId, selfplayWorkflowId('')));
    return names;
  });
}

/** Returns the machines' own queues from a run's memo; null if the server does not know the run. */
export async function queuesOfRun(client: Client, run: string): Promise<string[] | null> {
  try {
    const { memo } = await client.workflow.getHandle(selfplayWorkflowId(run)).describe();
    const queues = memo?.[HOST_QUEUES_MEMO];
    return Array.isArray(queues) ? queues.filter((queue) => typeof queue === 'string') : null;
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return null;
    throw error;
  }
}
