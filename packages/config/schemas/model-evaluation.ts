/** Results of a model on a list of statements: pass@k between rounds and at a run's end. */
import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Estimated chance that at least one of `k` samples proves a statement, averaged over statements; shares of 1. */
export const passAtKSchema = z.strictObject({
  k: count,
  mean: z.number().min(0).max(1),
  /** 95 % interval of the mean, by bootstrap over the statements. */
  lower: z.number().min(0).max(1),
  upper: z.number().min(0).max(1),
});
export type PassAtK = z.infer<typeof passAtKSchema>;

/** One model on a list of statements, the same number of samples each. */
export const modelEvaluationSchema = z.strictObject({
  model: z.string(),
  statements: count,
  samplesPerStatement: count,
  /** Statements with a certified proof. */
  proved: count,
  /** Samples without a verdict; they count as failures, so every figure is a lower bound. */
  unverified: count,
  /** Unbiased estimate. */
  passAtK: z.array(passAtKSchema),
  /** Statements beside `proved` that scripts prove, with the lemmas that the model had; missing where none were tried. */
  provedByScripts: count.optional(),
});
export type ModelEvaluation = z.infer<typeof modelEvaluationSchema>;

/** An evaluation between rounds: the model after `round`, and what had been sampled for it. */
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
  /** Statements that the samples or the scripts prove (`prover.scripts`); missing where no scripts were tried. */
  withScripts: z.strictObject({ first: count, last: count }).optional(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;
