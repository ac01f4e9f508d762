/**
 * A training by Levanter over all machines of a run, or its only one, in three parts: one machine puts rows and initial
 * weights into the store; all machines train at once; one machine exports the result as a checkpoint. The machines
 * share only the store. Levanter keeps its own checkpoints there, so a new slice continues the training of a lost one.
 * Optimizer, loss and initial weights are those of the other trainers. The batches differ: a step has a number of full
 * rows, not of tokens.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { LevanterEngine } from '@stp/config';
import { checkpointRefSchema, type ObjectStore } from '@stp/config/records';
import { optimiserSteps } from '@stp/selfplay';
import { z } from 'zod';
import { fetchCheckpoint } from './checkpoints.ts';
import { HELD_OUT_SCORINGS, type TrainModelInput } from './training.ts';

export interface LevanterInput extends TrainModelInput {
  readonly engine: LevanterEngine;
}

const writtenSchema = z.strictObject({ files: z.array(z.string()), rows: z.number(), tokens: z.number() });
export const preparedSchema = z.strictObject({
  /** Name of the training in the store. */
  name: z.string(),
  /** Id by which Levanter finds its checkpoints. */
  id: z.string(),
  steps: z.number(),
  /** Null: start from the engine's `base`, which every machine has. */
  init: checkpointRefSchema.nullable(),
  parent: z.string().nullable(),
  train: writtenSchema,
  heldOut: writtenSchema,
});
export type PreparedTraining = z.infer<typeof preparedSchema>;

/** The result of one machine's share. The loss is null if another machine reports it. */
export interface TrainedShare {
  readonly finalLoss: number | null;
  readonly seconds: number;
}

/** Makes an empty local folder for one part. */
export async function emptyFolder(scratch: string, name: string): Promise<string> {
  const directory = join(scratch, name);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  return directory;
}

/** Returns the folder of the initial weights, or the name of the base model that every machine has. */
export async function firstWeights(
  { engine }: LevanterInput,
  { init }: PreparedTraining,
  store: ObjectStore,
  scratch: string,
  signal: AbortSignal,
): Promise<string> {
  return init === null ? engine.base! : fetchCheckpoint(store, init, scratch, signal);
}

/** Returns the request to the trainer, without the paths of its files. */
export function trainingRequest({ config, optimiser, examples }: LevanterInput) {
  const steps = optimiserSteps(examples.count, optimiser);
  const heldOutEverySteps = Math.ceil(steps / HELD_OUT_SCORINGS);
  return { ...optimiser, steps, seed: config.seed, shape: config.model, heldOutEverySteps };
}
