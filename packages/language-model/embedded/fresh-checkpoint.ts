/**
 * Makes a checkpoint of the fresh weights that the embedded trainer would begin with; other trainers begin with it too.
 */
import { removePartialCheckpoints } from '../checkpoint/checkpoint.ts';
import type { TrainRequest } from '../trainer.ts';
import { EngineProcess } from './process/engine-process.ts';
import type { FreshMessage, FreshRequest } from './process/fresh-child.ts';

export interface FreshCheckpointOptions {
  readonly runMark?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes `directory` (which must not be there): a tokenizer trained on the examples and weights drawn from the seed. Throws
 * as the embedded trainer does.
 */
export async function makeFreshCheckpoint(
  request: Pick<TrainRequest, 'examplesPath' | 'shape' | 'seed'>,
  directory: string,
  { runMark, signal }: FreshCheckpointOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const engine = new EngineProcess<FreshRequest, FreshMessage>({
    entry: new URL('./process/fresh-child.ts', import.meta.url),
    runMark,
    onMessage: () => resolve(),
    onFailure: reject,
  });
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const { examplesPath, shape, seed } = request;
  engine.send({ type: 'make', examplesPath, shape, seed, directory });
  try {
    await promise;
  } catch (error) {
    await engine.end();
    await removePartialCheckpoints(directory);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await engine.end();
  }
}
