/** The id by which Levanter finds the checkpoints of an interrupted training. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { LevanterEngine } from '@stp/config';
import type { TrainRequest } from '../../trainer.ts';

const ID_DIGITS = 16;

/** Hashes all inputs of a training, so that it never resumes from another one's checkpoints. */
export async function trainingId(
  request: TrainRequest,
  engine: LevanterEngine,
  parent: string | null,
): Promise<string> {
  const { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed, shape } =
    request;
  const recipe = { steps, tokensPerStep, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, seed };
  const hash = createHash('sha256').update(JSON.stringify([recipe, shape, engine, parent]));
  for await (const part of createReadStream(request.examplesPath)) hash.update(part as Buffer);
  return `stp-${hash.digest('hex').slice(0, ID_DIGITS)}`;
}
