/** A training small enough for a test of any trainer: a tiny Llama on some dozen examples of unequal weight. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Example } from '@stp/config/records';
import { onTestFinished } from 'vitest';
import type { TrainProgress, TrainRequest } from '../trainer.ts';
import { SMALL_SHAPE } from './small-model.ts';

export const EXAMPLES: readonly Example[] = Array.from({ length: 60 }, (_, index) => ({
  prompt: `<prove>(n : Nat) : n + ${index} = ${index} + n<by>`,
  target: index % 3 === 0 ? 'omega' : `rw [Nat.add_comm] -- ${'x'.repeat(index % 9)}`,
  weight: 0.25 * (1 + (index % 7)),
  role: 'prover',
}));

export interface SmallTraining {
  readonly directory: string;
  readonly request: TrainRequest;
  /** The reports, in order. */
  readonly seen: TrainProgress[];
}

export async function smallTraining(changes: Partial<TrainRequest> = {}): Promise<SmallTraining> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-trainer-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const lines = (examples: readonly Example[]) => examples.map((example) => `${JSON.stringify(example)}\n`).join('');
  const examplesPath = join(directory, 'examples.jsonl');
  const heldOutPath = join(directory, 'held-out.jsonl');
  await writeFile(examplesPath, lines(EXAMPLES.slice(0, 50)));
  await writeFile(heldOutPath, lines(EXAMPLES.slice(50)));
  const request: TrainRequest = {
    examplesPath,
    initDirectory: null,
    shape: SMALL_SHAPE,
    outputDirectory: join(directory, 'checkpoint'),
    steps: 12,
    tokensPerStep: 400,
    learningRate: 3e-3,
    warmupSteps: 3,
    schedule: 'linear',
    weightDecay: 0.1,
    gradientClipNorm: 0.5,
    seed: 7,
    stateDirectory: null,
    heldOutPath,
    heldOutEverySteps: 4,
    ...changes,
  };
  return { directory, request, seen: [] };
}
