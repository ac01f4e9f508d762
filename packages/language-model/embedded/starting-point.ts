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
  const given = request.initDirectory ?? base;
  if (given !== null) {
    const parent = await readManifest(given).then(
      ({ model }) => model,
      // Of other people, or damaged: the trainer looks.
      () => null,
    );
    return { initDirectory: given, parent };
  }
  const initDirectory = join(workDirectory, 'fresh');
  await makeFreshCheckpoint(request, initDirectory, options);
  return { initDirectory, parent: null };
}
