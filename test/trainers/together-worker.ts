/**
 * A machine's worker as a process of its own, with the activities of a training over all machines. Arguments: address of the
 * Temporal server, queue, URI of the store, scratch folder.
 */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../activities/edge.ts';
import { trainTogetherActivities } from '../../activities/train-together.ts';
import { openStore } from '../../infra/stores/open-store.ts';

const [address = '', taskQueue = '', storeUri = '', scratch = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  interceptors: { activity: [edgeInterceptors] },
  maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
  activities: trainTogetherActivities({
    store: () => openStore(storeUri),
    scratch: async () => scratch,
    monitor: async () => ({ log: async () => {}, finalise: async () => {} }),
    runMark: (run) => run,
    alone: (work) => work(),
  }),
});
console.log('ready');
await worker.run();
