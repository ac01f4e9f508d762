/** Results of a model on a list of statements: pass@k between rounds and at the end of a run. */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/**
 * Estimated probability that at least one of `k` samples proves a statement, averaged over statements; between 0 and
 * 1.
 */
export const passAtKSchema = z.strictObject({
  k: count,
  mean: z.number().min(0).max(1),
  /** 95 % interval of the mean, by bootstrap over the statements. */
  lower: z.number().min(0).max(1),
  upper: z.number().min(0).max(1),
});
export type PassAtK = z.infer<typeof passAtKSchema>;

/** One model's results on a list of statements, with the same number of samples each. */
export const modelEvaluationSchema = z.strictObject({
  model: z.string(),
  statements: count,
  samplesPerStatement: count,
  /** Statements with a certified proof. */
  proved: count,
  /** Samples without a verdict. They count as failures, so every figure is a lower bound. */
  unverified: count,
  /** Unbiased estimate. */
  passAtK: z.array(passAtKSchema),
  /** Statements not in `proved` that scripts prove with the model's lemmas; missing if no scripts were tried. */
  provedByScripts: count.optional(),
});
export type ModelEvaluation = z.infer<typeof modelEvaluationSchema>;

/** An evaluation between rounds: the model after `round`, and the number of samples taken so far. */
export const roundEvaluationSchema = modelEvaluationSchema.extend({
  round: count,
  /** Samples of all rounds so far, this one included. */
  samplesSoFar: count,
});
export type RoundEvaluation = z.infer<typeof roundEvaluationSchema>;

export const evaluationSchema = z.strictObject({
  statements: count,
  samplesPerStatement: count,
  /** Held-out statements with at least one proof: first model (SFT) and last model, equal samples. */
  provedFirst: count,
  provedLast: count,
  /** The same for the first model with the run's lemmas, which the last model has too; missing where there are none. */
  provedFirstWithLemmas: count.optional(),
  passAtK: z.strictObject({ first: z.array(passAtKSchema), last: z.array(passAtKSchema) }),
  /** Statements that samples or scripts prove (`prover.scripts`); missing if no scripts were tried. */
  withScripts: z.strictObject({ first: count, last: count }).optional(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;
