/**
 * `training.json` of a checkpoint: how the weights were made. It contains no times: the same training gives the same
 * bytes.
 */
import { z } from 'zod';

export const trainingRecordSchema = z.strictObject({
  seed: z.int().nonnegative(),
  /** Optimizer steps of the training that wrote this checkpoint, its parents' not counted. */
  steps: z.int().nonnegative(),
  /** Tokens in those steps. */
  tokens: z.int().nonnegative(),
  /** As `TrainResult.finalLoss`; null for a model of zero steps. */
  finalLoss: z.number().nullable(),
  learningRate: z.number().nonnegative(),
  warmupSteps: z.int().nonnegative(),
  schedule: z.enum(['constant', 'linear']),
  weightDecay: z.number().nonnegative(),
  gradientClipNorm: z.number().nonnegative(),
  tokensPerStep: z.int().nonnegative(),
  /** Model (`CheckpointRef.model`) the weights started from, or null for fresh ones. */
  parent: z.string().max(64).nullable(),
});
export type TrainingRecord = z.infer<typeof trainingRecordSchema>;

/** The record of weights that no step has changed. */
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
