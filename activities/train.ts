/**
 * Training on one machine: examples and a checkpoint in, a checkpoint out. A training that was cut off goes on from the state
 * on this machine, else from the newest in the store; where there is none it begins anew.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storeCheckpoint, uploadsIn } from './checkpoints.ts';
import { withHeartbeat } from './edge.ts';
import type { Ports } from './ports.ts';
import { once } from './record-files.ts';
import {
  dropStates,
  placesIn,
  type Trained,
  type TrainModelInput,
  trainedOf,
  trainedSchema,
  trainHere,
  trainingName,
} from './training.ts';
import { TrainingStates } from './training-states.ts';

const ALONE = { node: 0, nodes: 1 } as const;

export function trainActivities(ports: Ports) {
  return {
    /** Trains for the steps that the number of examples asks for; a checkpoint that is there is not made again. */
    async trainModel(input: TrainModelInput): Promise<Trained> {
      const { run } = input;
      const { hash, name } = trainingName(input);
      const store = await ports.store(run);
      const states = new TrainingStates(store, name);
      return withHeartbeat(async (signal, tell, earlier) => {
        const trained = await once(store, `${name}/trained.json`, trainedSchema, async () => {
          // An attempt that was cut off while it stored its checkpoint left uploads that this one, having come to the same
          // bytes, goes on from: until then every heartbeat carries them on.
          const uploads = uploadsIn(earlier);
          const report = (progress: object): void => tell({ uploads, ...progress });
          // Named by the input: a retry on this node finds the state of the training that was cut off.
          const work = join(await ports.scratch(run), `train-${hash}`);
          const { state, output } = placesIn(work);
          if (await isEmpty(state)) {
            await rm(state, { recursive: true, force: true });
            await states.fetchNewest(state, ALONE, signal);
          }
          const result = await trainHere(ports, input, { work, states, stateId: null, share: null }, signal, report);
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

const isEmpty = async (directory: string): Promise<boolean> => (await readdir(directory).catch(() => [])).length === 0;
