/**
 * A machine's worker as a process of its own, with the activities of a training by Levanter. Arguments: address of the
 * Temporal server, queue, URI of the store, scratch folder.
 */
import { trainLevanterActivities } from '../../activities/training/train-levanter.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { runNodeWorker, silentMonitor } from '../support/node-worker.ts';

const [address = '', taskQueue = '', storeUri = '', scratch = ''] = process.argv.slice(2);
await runNodeWorker(
  address,
  taskQueue,
  trainLevanterActivities({
    store: () => openStore(storeUri),
    scratch: async () => scratch,
    monitor: silentMonitor,
    runMark: (run) => run,
    alone: (work) => work(),
  }),
);
