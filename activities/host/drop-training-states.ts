/** Drops the states of a training over several machines. */

import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { dropStates, type TrainModelInput, trainingName } from '../training/training.ts';
import { TrainingStates } from '../training/training-states.ts';

export function dropTrainingStatesActivity(ports: RunStore) {
  return {
    /** Runs after all machines have stopped copying states. */
    async dropTrainingStates(input: TrainModelInput): Promise<void> {
      const { name } = trainingName(input);
      const states = new TrainingStates(await ports.store(input.run), name);
      await withHeartbeat(() => dropStates(states));
    },
  };
}
