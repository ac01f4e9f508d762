/**
 * Entry of a process that makes the checkpoint of an untrained model. It is a separate process because reading texts
 * and drawing weights block the thread.
 */
import { writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import { untrained } from '../../checkpoint/training-record.ts';
import type { TrainRequest } from '../../trainer.ts';
import { initialState } from '../training/initial-state.ts';
import { parameterLayout, tensorsOf } from '../training/parameter-layout.ts';
import { serve } from './serve.ts';

export type FreshRequest = Pick<TrainRequest, 'examplesPath' | 'shape' | 'seed'> & {
  readonly type: 'make';
  /** The checkpoint's folder. */
  readonly directory: string;
};
export type FreshMessage = { readonly type: 'made' };

serve<FreshRequest, FreshMessage>(async ({ examplesPath, shape, seed, directory }, post) => {
  const { tokenizer, proofWords, parameters } = await initialState({ examplesPath, shape, seed, initDirectory: null });
  const tensors = tensorsOf(parameterLayout(shape), parameters);
  const training = untrained(seed);
  await writeCheckpoint(directory, { shape, tensors, tokenizer, proofWords, training });
  await post({ type: 'made' });
});
