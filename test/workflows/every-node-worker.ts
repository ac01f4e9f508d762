/**
 * A node's worker as a process of its own, so that it can be killed: polls its queue with the real activities over a scratch
 * folder. Arguments: address of the Temporal server, queue, folder.
 */
import { join } from 'node:path';
import { everyNodeActivities } from '../../activities/nodes/every-node.ts';
import { runNodeWorker } from '../support/node-worker.ts';

const [address = '', taskQueue = '', folder = ''] = process.argv.slice(2);
await runNodeWorker(
  address,
  taskQueue,
  everyNodeActivities({
    scratch: async () => join(folder, 'scratch'),
    runMark: (run) => run,
    store: () => Promise.reject(new Error('this node has no store')),
  }),
);
