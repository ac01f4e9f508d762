/** Last part of a training by Levanter: one machine exports the result as a checkpoint. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exportFolder, sealExport, tokensOf } from '@stp/language-model';
import { log } from '@temporalio/activity';
import { withHeartbeat } from '../edge.ts';
import type { RunMark, RunScratch, RunStore } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { storeCheckpoint } from '../training/checkpoints.ts';
import { fetchForeign, removeForeign } from '../training/foreign-files.ts';
import type { LevanterInput, PreparedTraining, TrainedShare } from '../training/levanter.ts';
import { emptyFolder, firstWeights, trainingRequest } from '../training/levanter.ts';
import { type Trained, trainedSchema } from '../training/training.ts';

/**
 * Folders that Levanter writes below a training's name: the state (twelve bytes a weight), a copy of the examples, and
 * the export.
 */
const LEVANTERS_OWN = ['state', 'cache', 'export'];

export function finishLevanterActivity(ports: RunStore & RunScratch & RunMark) {
  return {
    /** Stores the export as a checkpoint, once, and removes Levanter's other files. */
    async finishLevanter(input: LevanterInput, prepared: PreparedTraining, share: TrainedShare): Promise<Trained> {
      const { run, engine, config, optimiser } = input;
      const { name, id, steps, parent } = prepared;
      const store = await ports.store(run);
      return withHeartbeat(async (signal, report) => {
        const trained = await once(store, `${name}/trained.json`, trainedSchema, async () => {
          const work = await emptyFolder(await ports.scratch(run), `finish-${id}`);
          const folderOfExport = `${name}/export/${id}/${exportFolder(steps)}`;
          const exported = await fetchForeign(store, folderOfExport, join(work, 'export'), signal);
          const output = join(work, 'checkpoint');
          const tokens = tokensOf(trainingRequest(input), prepared.train);
          const { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = optimiser;
          const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
          const training = { seed: config.seed, steps, tokens, finalLoss: share.finalLoss, ...recipe, parent };
          const runMark = ports.runMark(run);
          const script = { python: engine.python, threads: config.modelThreads, runMark, signal, work };
          const init = await firstWeights(input, prepared, store, await ports.scratch(run), signal);
          await sealExport(exported, init, output, training, script);
          const checkpoint = await storeCheckpoint(store, `${name}/checkpoint`, output, { signal, onProgress: report });
          await rm(work, { recursive: true, force: true });
          return { checkpoint, steps, loss: share.finalLoss ?? 0, tokens, seconds: share.seconds };
        });
        // The training is done, so files left in the store do not fail it.
        for (const part of LEVANTERS_OWN)
          await removeForeign(store, `${name}/${part}`, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            log.warn('what a training left could not be removed from the store', { part, error: String(error) });
          });
        return trained;
      });
    },
  };
}
