/**
 * Finds where another engine's training starts: a checkpoint, the configured base, or the embedded engine's fresh
 * weights.
 */
import { join } from 'node:path';
import { readManifest } from '../checkpoint/checkpoint.ts';
import type { TrainRequest } from '../trainer.ts';
import { makeFreshCheckpoint } from './fresh-checkpoint.ts';

/** Returns the folder of the weights, and the model's name if they are a model's. */
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
      // A foreign or damaged folder: the trainer checks it.
      () => null,
    );
    return { initDirectory: given, parent };
  }
  const initDirectory = join(workDirectory, 'fresh');
  await makeFreshCheckpoint(request, initDirectory, options);
  return { initDirectory, parent: null };
}
