/** Makes and runs Temporal workers: the control worker (workflows, short activities) and the host worker (heavy ones). */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { edgeInterceptors } from '../activities/edge.ts';
import { createControlActivities, createHostActivities } from '../activities/index.ts';
import { StpError } from '../data/errors.ts';
import { CONTROL_QUEUE } from '../workflows/contracts.ts';
import { type AssembledPorts, localHostQueue } from './assemble.ts';
import { workflowBundle } from './bundle.ts';
import { runTogether } from './run-together.ts';
import type { WorkerSettings } from './settings.ts';

export type WorkerRole = 'control' | 'host';

/** Sampling, verification, one waiting for the other, and a training: more at once would only fight for the cores. */
const HOST_ACTIVITIES_MAX = 4;

/** Runs until SIGINT or SIGTERM; `onReady` is called once every worker polls. */
export async function runWorkers(
  roles: readonly WorkerRole[],
  settings: WorkerSettings,
  ports: AssembledPorts,
  onReady: () => void,
): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: ['SIGINT', 'SIGTERM'] });
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions).catch((cause: unknown) => {
    throw new StpError(
      'STP1101',
      `no Temporal server answers at ${connectionOptions.address ?? 'localhost:7233'}`,
      'Start one with `npm run dev`, or set TEMPORAL_ADDRESS to yours.',
      { retryable: true, cause },
    );
  });
  const workers: Worker[] = [];
  try {
    const common = {
      connection,
      namespace,
      interceptors: { activity: [edgeInterceptors] },
      shutdownGraceTime: '2 seconds',
    };
    if (roles.includes('control'))
      workers.push(
        await Worker.create({
          ...common,
          taskQueue: CONTROL_QUEUE,
          workflowBundle: { codePath: await workflowBundle(settings.cacheDirectory) },
          activities: createControlActivities(ports),
        }),
      );
    if (roles.includes('host'))
      workers.push(
        await Worker.create({
          ...common,
          taskQueue: localHostQueue(),
          activities: createHostActivities(ports),
          maxConcurrentActivityTaskExecutions: HOST_ACTIVITIES_MAX,
        }),
      );
    await runTogether(workers, onReady);
  } finally {
    await ports.close();
    await connection.close();
  }
}
