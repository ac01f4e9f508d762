/**
 * A machine's worker as a separate process, with the activities of a Levanter training. Arguments: address of the
 * Temporal server, queue, URI of the store, scratch folder.
 */

import { finishLevanterActivity } from '../../activities/host/finish-levanter.ts';
import { prepareLevanterActivity } from '../../activities/host/prepare-levanter.ts';
import { trainByLevanterActivity } from '../../activities/host/train-by-levanter.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { runNodeWorker, silentMonitor } from '../support/node-worker.ts';

const [address = '', taskQueue = '', storeUri = '', scratch = ''] = process.argv.slice(2);
const ports = {
  store: () => openStore(storeUri),
  scratch: async () => scratch,
  monitor: silentMonitor,
  runMark: (run: string) => run,
  alone: <Result>(work: () => Promise<Result>) => work(),
};
await runNodeWorker(address, taskQueue, {
  ...prepareLevanterActivity(ports),
  ...trainByLevanterActivity(ports),
  ...finishLevanterActivity(ports),
});
