/**
 * A hash of everything that a training's weights depend on, so that only the same training resumes from a saved state.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { LIKELIHOOD } from '@stp/config';
import type { Architecture } from '../../checkpoint/architecture.ts';
import type { TrainRequest } from '../../trainer.ts';

/** Raised when the arithmetic of training changes. Older saved states are then ignored. */
const ARITHMETIC_VERSION = 2;

/**
 * Returns the SHA-256, hex, of the examples' bytes, the models of the initial weights and of the reference, the
 * architecture, the recipe and the number of threads (sums in float32 differ between thread counts). Paths do not
 * count, only contents.
 */
export async function requestHash(
  request: TrainRequest,
  { shape, constants }: Architecture,
  parent: string | null,
  reference: string | null,
  threads: number,
): Promise<string> {
  const { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed } = request;
  const { tiedEmbeddings = true, ...sizes } = shape;
  const recipe = { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed };
  const { objective = LIKELIHOOD } = request;
  const sorted = Object.entries({ ...sizes, tiedEmbeddings, constants, ...recipe, objective, reference }).sort(
    ([left], [right]) => (left < right ? -1 : 1),
  );
  const hash = createHash('sha256').update(JSON.stringify([ARITHMETIC_VERSION, threads, parent, sorted]));
  for await (const chunk of createReadStream(request.examplesPath)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
