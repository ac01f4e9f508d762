/**
 * Training on one machine: examples and a checkpoint in, a checkpoint out. An interrupted training resumes from the
 * state on this machine, or from the newest one in the store if that is further on; without a state it begins anew.
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
  placesIn,
  type Trained,
  type TrainModelInput,
  trainedOf,
  trainedSchema,
  trainHere,
  trainingName,
} from '../training/training.ts';
import { stepOf, TrainingStates } from '../training/training-states.ts';

export function trainModelActivity(ports: RunStore & RunScratch & RunTrainer & RunMonitor) {
  return {
    /** Trains for the steps that the number of examples asks for; a checkpoint that is there is not made again. */
    async trainModel(input: TrainModelInput): Promise<Trained> {
      const { run } = input;
      const { hash, name } = trainingName(input);
      const store = await ports.store(run);
      const states = new TrainingStates(store, name);
      return withHeartbeat(async (signal, tell, earlier) => {
        const trained = await once(store, `${name}/trained.json`, trainedSchema, async () => {
          // An attempt that was interrupted while it stored its checkpoint left uploads. This attempt has the same
          // bytes and resumes them; until then every heartbeat carries their tokens.
          const uploads = uploadsIn(earlier);
          const report = (progress: object): void => tell({ uploads, ...progress });
          // Named by the input: a retry on this node finds the state of the interrupted training.
          const work = join(await ports.scratch(run), `train-${hash}`);
          const result = await trainFromNewest(ports, input, work, states, signal, report);
          const { output } = placesIn(work);
          const checkpoint = await storeCheckpoint(store, name, output, { signal, uploads, onProgress: report });
          await rm(work, { recursive: true, force: true });
          return trainedOf(checkpoint, result);
        });
        // Not before it is written down what came of them.
        await dropStates(states);
        return trained;
      });
    },
  };
}

/** Trains from the state on this machine, or from that in the store if the former is missing, damaged or old. */
async function trainFromNewest(
  ports: RunStore & RunScratch & RunTrainer & RunMonitor,
  input: TrainModelInput,
  work: string,
  states: TrainingStates,
  signal: AbortSignal,
  report: (progress: object) => void,
): Promise<TrainResult> {
  const { state } = placesIn(work);
  const part = { work, states, stateId: null, share: null };
  if (!(await isEmpty(state))) {
    const behind = new AbortController();
    // What is kept here is copied from here, so it is never behind the store but for a reason.
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
