/** Where a training of another engine starts: a checkpoint, the base of its configuration, or the embedded engine's fresh weights. */
import { join } from 'node:path';
import { readManifest } from '../checkpoint/checkpoint.ts';
import type { TrainRequest } from '../trainer.ts';
import { makeFreshCheckpoint } from './fresh-checkpoint.ts';

/** The folder the weights come from, and the name of its model where that is a model's. */
export async function startingPoint(
  request: TrainRequest,
  base: string | null,
  workDirectory: string,
  options: { runMark: string | undefined; signal: AbortSignal | undefined },
): Promise<{ initDirectory: string; parent: string | null }> {
  if (request.initDirectory !== null) {
    const { model } = await readManifest(request.initDirectory);
    return { initDirectory: request.initDirectory, parent: model };
  }
  if (base !== null)
    return {
      initDirectory: base,
      parent: await readManifest(base).then(
        (m) => m.model,
        () => null,
      ),
    };
  const initDirectory = join(workDirectory, 'fresh');
  await makeFreshCheckpoint(request, initDirectory, options);
  return { initDirectory, parent: null };
}
