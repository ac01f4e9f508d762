/** Brings together the machines that train one model. */

import { findRendezvous } from '../../infra/nodes/rendezvous.ts';
import type { RunStore } from '../ports.ts';
import { readJson } from '../records/record-files.ts';
import type { Meeting } from '../training/meeting.ts';
import { type Trained, type TrainModelInput, trainedSchema, trainingName } from '../training/training.ts';
import { newStateId, TrainingStates } from '../training/training-states.ts';

export function meetToTrainActivity(ports: RunStore) {
  return {
    /** Runs on the first machine, before each attempt. `trained` is the result if the training is already done. */
    async meetToTrain(
      input: TrainModelInput,
      nodes: number,
    ): Promise<{ readonly meeting: Meeting; readonly trained: Trained | null }> {
      const { name } = trainingName(input);
      const store = await ports.store(input.run);
      const states = new TrainingStates(store, name);
      const done = await store.stat(`${name}/trained.json`);
      const state = await states.newest();
      return {
        meeting: { ...(await findRendezvous()), nodes, stateId: newStateId(), state },
        trained: done === null ? null : await readJson(store, done, trainedSchema),
      };
    },
  };
}
