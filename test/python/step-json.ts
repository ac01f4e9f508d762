/** Optimizer steps as `bench_training.py` reads them. */
import type { StepPlan } from '@stp/language-model/testing';

export function stepsAsJson(plans: readonly StepPlan[]): unknown {
  return plans.map(({ learningRate, batches }) => ({
    learningRate,
    batches: batches.map(({ rows, rowLength, tokens, positions, examples, predictors, labels, targetValues }) => ({
      rows,
      rowLength,
      tokens: [...tokens],
      positions: [...positions],
      examples: [...examples],
      predictors: [...predictors],
      labels: [...labels],
      weights: [...targetValues.weights!],
    })),
  }));
}
