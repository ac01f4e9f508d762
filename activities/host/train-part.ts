/** Trains one machine's share of a model. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { withHeartbeat } from '../edge.ts';
import type { RunMonitor, RunScratch, RunStore, RunTrainer } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { storeCheckpoint } from '../training/checkpoints.ts';
import { type Meeting, meetingSchema } from '../training/meeting.ts';
import {
  type Trained,
  type TrainModelInput,
  trainedOf,
  trainedSchema,
  trainHere,
  trainingName,
  trainingPaths,
} from '../training/training.ts';
import { TrainingStates } from '../training/training-states.ts';

export function trainPartActivity(ports: RunStore & RunScratch & RunTrainer & RunMonitor) {
  return {
    /**
     * Runs this machine's share; all machines must run theirs at the same time. `node` counts from 0. Machine 0 stores
     * the checkpoint and returns the result; the others return null.
     */
    async trainPart(input: TrainModelInput, agreed: Meeting, node: number): Promise<Trained | null> {
      const { address, port, nodes, stateId, state } = meetingSchema.parse(agreed);
      const { hash, name } = trainingName(input);
      const store = await ports.store(input.run);
      const states = new TrainingStates(store, name);
      return withHeartbeat(async (signal, report) => {
        const work = join(await ports.scratch(input.run), `train-${hash}-${node}-of-${nodes}`);
        const paths = trainingPaths(work);
        await rm(paths.state, { recursive: true, force: true });
        if (state !== null && !(await states.fetch(state, paths.state, signal))) {
          await states.discard(state);
          const advice = 'All machines begin again, from the state before it.';
          throw new StpError('STP1402', `${name}: its state ${state} is damaged`, advice, { retryable: true });
        }
        const part = { work, states, stateId, share: { node, nodes, address, port } };
        const train = () => trainHere(ports, input, part, signal, report);
        const write = async (): Promise<Trained> => {
          const result = await train();
          const options = { signal, onProgress: report };
          return trainedOf(await storeCheckpoint(store, name, paths.output, options), result);
        };
        const trained =
          node === 0 ? await once(store, `${name}/trained.json`, trainedSchema, write) : await train().then(() => null);
        await rm(work, { recursive: true, force: true });
        return trained;
      });
    },
  };
}
