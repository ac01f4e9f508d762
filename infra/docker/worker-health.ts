/**
 * Health check of a worker's container: tests whether a worker polls a task queue. Argument: the queue. It finds the
 * server as the worker does: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY … Exit 0 if a worker polls, 1 with
 * the reason if not.
 */
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';

const TIMEOUT_MS = 5_000;
/** `TaskQueueType` of Temporal's API: every worker of ours polls for activities. */
const ACTIVITIES = 2;

const [queue] = process.argv.slice(2);
const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
const { address = '127.0.0.1:7233' } = connectionOptions;

try {
  if (queue === undefined) throw new Error('no task queue given');
  const connection = await Connection.connect({ ...connectionOptions, address, connectTimeout: TIMEOUT_MS });
  const { pollers } = await connection.withDeadline(Date.now() + TIMEOUT_MS, () =>
    connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: queue }, taskQueueType: ACTIVITIES }),
  );
  await connection.close();
  if ((pollers ?? []).length === 0) throw new Error(`no worker polls ${queue}`);
} catch (error) {
  console.error(`${address}: ${(error as Error).message}`);
  process.exit(1);
}
