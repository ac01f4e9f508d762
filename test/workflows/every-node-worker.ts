/**
 * A node's worker as a process of its own, so that it can be killed: polls its queue with the real activities over a scratch
 * folder. Arguments: address of the Temporal server, queue, folder.
 */
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../activities/edge.ts';
import { everyNodeActivities } from '../../activities/every-node.ts';

const [address = '', taskQueue = '', folder = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  interceptors: { activity: [edgeInterceptors] },
  maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
  activities: everyNodeActivities({
    scratch: async () => join(folder, 'scratch'),
    runMark: (run) => run,
    store: () => Promise.reject(new Error('this node has no store')),
  }),
});
console.log('ready');
await worker.run();
