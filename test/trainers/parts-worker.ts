/**
 * A machine's worker as a separate process, with the activities of a PyTorch training over several machines. Arguments:
 * address of the Temporal server, queue, URI of the store, scratch folder, engine as JSON, folder of notes. It notes
 * its first step. If the folder has a file `lose`, it kills itself with its second state, so that the first is
 * complete.
 */

import { existsSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trainerEngineSchema } from '@stp/config/testing';
import { pytorchTrainer, type Trainer } from '@stp/language-model';
import { dropTrainingStatesActivity } from '../../activities/host/drop-training-states.ts';
import { meetToTrainActivity } from '../../activities/host/meet-to-train.ts';
import { trainPartActivity } from '../../activities/host/train-part.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { runNodeWorker, silentMonitor } from '../support/node-worker.ts';

const [address = '', taskQueue = '', storeUri = '', scratch = '', engineJson = '', notes = ''] = process.argv.slice(2);
const engine = trainerEngineSchema.parse(JSON.parse(engineJson));
if (engine.kind !== 'pytorch') throw new Error('an engine of PyTorch is wanted');

const trainer = (run: string): Trainer => ({
  train(request, { onKept, onProgress, ...rest } = {}) {
    let kept = 0;
    let steps = 0;
    return pytorchTrainer({ engine, threads: 1, runMark: run }).train(request, {
      ...rest,
      async onKept(state) {
        kept += 1;
        const lose = join(notes, 'lose');
        if (kept === 2 && existsSync(lose)) {
          rmSync(lose);
          process.kill(process.pid, 'SIGKILL');
        }
        await onKept?.(state);
      },
      onProgress(progress) {
        if (steps++ === 0) void appendFile(join(notes, 'first-steps'), `${progress.step}\n`);
        onProgress?.(progress);
      },
    });
  },
});

const ports = {
  store: () => openStore(storeUri),
  scratch: async () => scratch,
  monitor: silentMonitor,
  trainer,
};
await runNodeWorker(address, taskQueue, {
  ...meetToTrainActivity(ports),
  ...trainPartActivity(ports),
  ...dropTrainingStatesActivity(ports),
});
