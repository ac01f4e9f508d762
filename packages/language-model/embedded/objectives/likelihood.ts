/**
 * Weighted negative log-likelihood: Σ weight · −log p / Σ weight over the target tokens of a step (docs/algorithm.md,
 * section 8). Its derivatives do not depend on the model, so steps can be planned ahead.
 */
import { type Example, exampleSchema } from '@stp/config/records';
import { NO_VARIABLES, type Objective } from './objective.ts';

export const likelihood: Objective<Example, { readonly weight: number }> = {
  schema: exampleSchema,
  sequences: ({ prompt, target, weight }) => (weight === 0 ? [] : [{ prompt, target }]),
  numbers: ({ weight }) => ({ weight }),
  needs: { current: false, first: false, reference: false },
  variableCount: () => 0,
  evaluate(items) {
    const weight = items.reduce((sum, { numbers, sequences }) => sum + numbers.weight * sequences[0]!.length, 0);
    const slopes = items.map(({ numbers, sequences }) => [
      new Float64Array(sequences[0]!.length).fill(-numbers.weight / weight),
    ]);
    return { loss: null, slopes, variables: NO_VARIABLES, weight };
  },
};
