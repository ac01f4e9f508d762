/**
 * A training by PyTorch over several machines: the processes of all machines are one group, which meets at the first
 * machine. The machines share the store and this group; each copies its own part of a state to the store, and an
 * attempt resumes on all machines from the newest complete state there, also from one of another number of machines.
 * A state on one machine's own disk may be from another step than those of the others, so it is ignored.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { z } from 'zod';
import { meetingPlace } from '../../infra/nodes/meeting-place.ts';
import { withHeartbeat } from '../edge.ts';
import type { Ports } from '../ports.ts';
import { once, readJson } from '../records/record-files.ts';
import { storeCheckpoint } from './checkpoints.ts';
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
import { newStateId, TrainingStates } from './training-states.ts';

const meetingSchema = z.strictObject({
  address: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  nodes: z.int().min(1),
  /** Tells the states of this attempt from those of others. */
  stateId: z.string().regex(/^[0-9a-f]{12}$/),
  /** The state in the store from which all machines resume; null: from the beginning. */
  state: z.string().nullable(),
});
/** What the machines of one attempt agree upon. */
export type Meeting = z.infer<typeof meetingSchema>;

export function trainPartsActivities(ports: Pick<Ports, 'store' | 'scratch' | 'monitor' | 'trainer'>) {
  const placeOf = async (input: TrainModelInput) => {
    const { hash, name } = trainingName(input);
    const store = await ports.store(input.run);
    return { hash, name, store, states: new TrainingStates(store, name) };
  };

  return {
    /** On the first machine, before each attempt. `trained`: the result, if the training is already done. */
    async meetToTrain(
      input: TrainModelInput,
      nodes: number,
    ): Promise<{ readonly meeting: Meeting; readonly trained: Trained | null }> {
      const { name, store, states } = await placeOf(input);
      const done = await store.stat(`${name}/trained.json`);
      const state = await states.newest();
      return {
        meeting: { ...(await meetingPlace()), nodes, stateId: newStateId(), state },
        trained: done === null ? null : await readJson(store, done, trainedSchema),
      };
    },

    /**
     * This machine's part: all must be at it at the same time. `node` counts from 0; that one stores the checkpoint and says
     * the result of the training, the others null.
     */
    async trainPart(input: TrainModelInput, agreed: Meeting, node: number): Promise<Trained | null> {
      const { address, port, nodes, stateId, state } = meetingSchema.parse(agreed);
      const { hash, name, store, states } = await placeOf(input);
      return withHeartbeat(async (signal, report) => {
        const work = join(await ports.scratch(input.run), `train-${hash}-${node}-of-${nodes}`);
        const places = placesIn(work);
        await rm(places.state, { recursive: true, force: true });
        if (state !== null && !(await states.fetch(state, places.state, signal))) {
          await states.discard(state);
          const advice = 'All machines begin again, from the state before it.';
          throw new StpError('STP1402', `${name}: its state ${state} is damaged`, advice, { retryable: true });
        }
        const part = { work, states, stateId, share: { node, nodes, address, port } };
        const train = () => trainHere(ports, input, part, signal, report);
        const write = async (): Promise<Trained> => {
          const result = await train();
          const options = { signal, onProgress: report };
          return trainedOf(await storeCheckpoint(store, name, places.output, options), result);
        };
        const trained =
          node === 0 ? await once(store, `${name}/trained.json`, trainedSchema, write) : await train().then(() => null);
        await rm(work, { recursive: true, force: true });
        return trained;
      });
    },

    /** When no machine copies states any more. */
    async dropTrainingStates(input: TrainModelInput): Promise<void> {
      const { states } = await placeOf(input);
      await withHeartbeat(() => dropStates(states));
    },
  };
}
