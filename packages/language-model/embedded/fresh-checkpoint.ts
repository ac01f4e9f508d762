/**
 * Makes a checkpoint of the embedded trainer's fresh weights. Other trainers start from it too.
 */
import type { TrainRequest } from '../trainer.ts';
import type { FreshMessage, FreshRequest } from './process/fresh-child.ts';
import { inOwnProcess } from './process/one-request.ts';

export interface FreshCheckpointOptions {
  readonly runMark?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes `directory`, which must not exist: a tokenizer trained on the examples, and weights drawn from the seed.
 * Throws the embedded trainer's errors.
 */
export async function makeFreshCheckpoint(
  request: Pick<TrainRequest, 'examplesPath' | 'shape' | 'seed'>,
  directory: string,
  { runMark, signal }: FreshCheckpointOptions = {},
): Promise<void> {
  const { examplesPath, shape, seed } = request;
  const asked: FreshRequest = { type: 'make', examplesPath, shape, seed, directory };
  return inOwnProcess<FreshMessage, void>(asked, {
    runMark,
    signal,
    output: directory,
    silenceLimitMs: undefined,
    entry: new URL('./process/fresh-child.ts', import.meta.url),
    onMessage: (_, done) => done(),
  });
}
