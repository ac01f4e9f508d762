/**
 * Trains on one machine, from examples and a checkpoint to a new checkpoint. An interrupted training resumes from the
 * state on this machine, or from the newest state in the store if that is further on. Without a state it starts over.
 */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrainResult } from '@stp/language-model';
import { withHeartbeat } from '../edge.ts';
import type { RunMonitor, RunScratch, RunStore, RunTrainer } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { storeCheckpoint, uploadsIn } from '../training/checkpoints.ts';
import {
  dropStates,
  type Trained,
  type TrainModelInput,
  trainedOf,
  trainedSchema,
  trainHere,
  trainingName,
  trainingPaths,
} from '../training/training.ts';
import { stepOf, TrainingStates } from '../training/training-states.ts';

export function trainModelActivity(ports: RunStore & RunScratch & RunTrainer & RunMonitor) {
  return {
    /**
     * Trains for the number of steps that follows from the number of examples. An existing checkpoint is not made
     * again.
     */
    async trainModel(input: TrainModelInput): Promise<Trained> {
      const { run } = input;
      const { hash, name } = trainingName(input);
      const store = await ports.store(run);
      const states = new TrainingStates(store, name);
      return withHeartbeat(async (signal, tell, earlier) => {
        const trained = await once(store, `${name}/trained.json`, trainedSchema, async () => {
          // An attempt that was interrupted while storing its checkpoint left uploads. This attempt produces the same
          // bytes and resumes them. Until then every heartbeat carries their tokens.
          const uploads = uploadsIn(earlier);
          const report = (progress: object): void => tell({ uploads, ...progress });
          // The folder's name comes from the input, so a retry on this node finds the state of the interrupted
          // training.
          const work = join(await ports.scratch(run), `train-${hash}`);
          const result = await trainFromNewest(ports, input, work, states, signal, report);
          const { output } = trainingPaths(work);
          const checkpoint = await storeCheckpoint(store, name, output, { signal, uploads, onProgress: report });
          await rm(work, { recursive: true, force: true });
          return trainedOf(checkpoint, result);
        });
        // States are dropped only after the result is recorded.
        await dropStates(states);
        return trained;
      });
    },
  };
}

/** Trains from this machine's state, or from the store's if this machine's is missing, damaged or old. */
async function trainFromNewest(
  ports: RunStore & RunScratch & RunTrainer & RunMonitor,
  input: TrainModelInput,
  work: string,
  states: TrainingStates,
  signal: AbortSignal,
  report: (progress: object) => void,
): Promise<TrainResult> {
  const { state } = trainingPaths(work);
  const part = { work, states, stateId: null, share: null };
  if (!(await isEmpty(state))) {
    const behind = new AbortController();
    // States are copied to the store from here. If the store has a later step than this training starts from, this
    // machine's state is old.
    const onStart = (fromStep: number): void =>
      void states.newest().then(
        (newest) => newest !== null && stepOf(newest) > fromStep && behind.abort(),
        () => undefined,
      );
    try {
      const either = AbortSignal.any([signal, behind.signal]);
      return await trainHere(ports, input, { ...part, onStart }, either, report);
    } catch (error) {
      if (error !== behind.signal.reason || signal.aborted) throw error;
    }
  }
  await rm(state, { recursive: true, force: true });
  await states.fetchNewest(state, signal);
  return trainHere(ports, input, part, signal, report);
}

const isEmpty = async (directory: string): Promise<boolean> => (await readdir(directory).catch(() => [])).length === 0;
