/** A machine's worker as a separate process, which tests start and kill. Prints `ready` before it polls. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../activities/edge.ts';
import type { Monitor } from '../../infra/monitor/monitor.ts';

/** A monitor that keeps nothing. */
export const silentMonitor = async (): Promise<Monitor> => ({ log: async () => {}, finalise: async () => {} });

export async function runNodeWorker(address: string, taskQueue: string, activities: object): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    interceptors: { activity: [edgeInterceptors] },
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
    activities,
  });
  console.log('ready');
  await worker.run();
}
