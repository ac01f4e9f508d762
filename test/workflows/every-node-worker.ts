/**
 * A node's worker as a separate process, so that it can be killed: polls its queue with the real activities over a
 * scratch folder. Arguments: address of the Temporal server, queue, folder.
 */

import { join } from 'node:path';
import { copyCheckpointActivity } from '../../activities/every-node/copy-checkpoint.ts';
import { runOnNodeActivity } from '../../activities/every-node/run-on-node.ts';
import { runNodeWorker } from '../support/node-worker.ts';

const [address = '', taskQueue = '', folder = ''] = process.argv.slice(2);
const ports = {
  scratch: async () => join(folder, 'scratch'),
  runMark: (run: string) => run,
  store: () => Promise.reject(new Error('this node has no store')),
};
await runNodeWorker(address, taskQueue, {
  ...runOnNodeActivity(ports),
  ...copyCheckpointActivity(ports),
});
