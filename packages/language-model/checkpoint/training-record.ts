/**
 * `training.json` of a checkpoint: how the weights were made. It contains no times, so that the same training gives the
 * same bytes.
 */
import { z } from 'zod';

export const trainingRecordSchema = z.strictObject({
  seed: z.int().nonnegative(),
  /** Optimizer steps of the training that wrote this checkpoint, without its parents'. */
  steps: z.int().nonnegative(),
  /** Tokens in those steps. */
  tokens: z.int().nonnegative(),
  /** As `TrainResult.finalLoss`; null for a model without training steps. */
  finalLoss: z.number().nullable(),
  learningRate: z.number().nonnegative(),
  warmupSteps: z.int().nonnegative(),
  schedule: z.enum(['constant', 'linear']),
  weightDecay: z.number().nonnegative(),
  gradientClipNorm: z.number().nonnegative(),
  tokensPerStep: z.int().nonnegative(),
  /** The model (`CheckpointRef.model`) whose weights the training started from; null for fresh weights. */
  parent: z.string().max(64).nullable(),
});
export type TrainingRecord = z.infer<typeof trainingRecordSchema>;

/** Returns the record of untrained weights. */
export const untrained = (seed: number): TrainingRecord => ({
  seed,
  steps: 0,
  tokens: 0,
  finalLoss: null,
  learningRate: 0,
  warmupSteps: 0,
  schedule: 'constant',
  weightDecay: 0,
  gradientClipNorm: 1,
  tokensPerStep: 0,
  parent: null,
});
