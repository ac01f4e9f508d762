/**
 * A name made from all inputs that a training's weights depend on, so that only the same training resumes from a kept
 * state.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { LIKELIHOOD } from '@stp/config';
import type { Architecture } from '../../checkpoint/architecture.ts';
import type { TrainRequest } from '../../trainer.ts';

/** Raised when the arithmetic of training changes: states kept before are then left alone. */
const ARITHMETIC_VERSION = 2;

/**
 * SHA-256, in hexadecimal, of the examples' bytes, the model the weights are from and the reference's, the architecture, the recipe and
 * the number of threads (sums in float32 differ between thread counts). Where files lie does not count, only what is in them.
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
