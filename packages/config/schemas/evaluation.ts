/** The input of `stp-evaluate`, and its output `evaluation.json`. */
import { z } from 'zod';
import { artifactRefSchema, checkpointRefSchema } from './artifact.ts';
import { passAtKSchema } from './model-evaluation.ts';
import { verdictCountsSchema } from './round.ts';
import { runConfigSchema, startInputSchema } from './run-config.ts';
import { searchFiguresSchema } from './search.ts';

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);

/** The split of the problem sets that is evaluated. */
export const evaluatedSplitSchema = z.enum(['all', 'train', 'held-out']);
export type EvaluatedSplit = z.infer<typeof evaluatedSplitSchema>;

/** Which statements of the problem sets are evaluated, and the library for their proofs. Fixed during an evaluation. */
export const evaluatedStatementsSchema = z.strictObject({
  split: evaluatedSplitSchema,
  /** Keep statements whose name has an MD5 hash (hex) with this prefix (ReProver's `--name-filter`). */
  nameFilter: z
    .string()
    .regex(/^[0-9a-f]{0,32}$/)
    .default(''),
  /**
   * Maximum number of statements, the first in the order of the MD5 hashes of `SET:NAME`; null: all, in the sets'
   * order.
   */
  theorems: count.min(1).nullable().default(null),
  /** Name or URI of a run whose grown library proofs may use; null: none. */
  library: z.string().min(1).max(4_096).nullable().default(null),
});
export type EvaluatedStatements = z.infer<typeof evaluatedStatementsSchema>;

/** The configuration sets problem sets, samples, temperature and seed: `data.problemSets`, `sampling`, `seed`. */
export const evaluateInputSchema = startInputSchema.pick({ preset: true, seed: true, set: true }).extend({
  ...evaluatedStatementsSchema.shape,
  /**
   * Absolute path of a checkpoint folder, readable by the node; null with `prover.mode` `scripts`, which uses no
   * model.
   */
  checkpoint: z.string().min(1).max(4_096).nullable(),
  /** The model's name as the user gave it, or the prover's name if it uses no model. */
  modelName: z.string().min(1).max(4_096),
  /** The round whose model this is, in its run; null for the run's SFT model and for other folders. */
  round: count.nullable(),
});
export type EvaluateInput = z.input<typeof evaluateInputSchema>;

export const evaluationPlanSchema = z.strictObject({
  config: runConfigSchema,
  checkpoint: checkpointRefSchema,
  /** All statements. The first label of each is its group. */
  statements: artifactRefSchema,
  shards: z.array(artifactRefSchema),
  /** Theorems of the grown library. */
  library: artifactRefSchema.nullable(),
});
export type EvaluationPlan = z.infer<typeof evaluationPlanSchema>;

/** Results for the statements of one problem set and split. */
export const evaluationGroupSchema = z.strictObject({
  /** `minif2f held-out`. */
  group: z.string(),
  statements: count,
  /** Statements with a certified proof. */
  proved: count,
  /** Statements whose search began: Lean and the screen accepted the statement. Set if the prover searches. */
  begun: count.optional(),
  /** Samples without a verdict. */
  unverified: count,
  /** Reason why there are no estimates, or null. */
  refused: z.string().nullable(),
  /** STP's estimator, which drops incomplete last blocks; `deviation` over the blocks, null for fewer than four. */
  block: z.array(z.strictObject({ k: count, mean: share, deviation: share.nullable() })),
  unbiased: z.array(passAtKSchema),
});
export type EvaluationGroup = z.infer<typeof evaluationGroupSchema>;

export const evaluationReportSchema = z.strictObject({
  name: z.string(),
  model: z.string(),
  modelName: z.string(),
  round: count.nullable(),
  split: evaluatedSplitSchema,
  samplesPerStatement: count,
  temperature: z.number(),
  seed: count,
  leanVersion: z.string(),
  samples: count,
  /**
   * Samples that ended at a token limit, and how many of them are empty because the prompt filled the model's
   * context.
   */
  cutOff: z.strictObject({ samples: count, empty: count }),
  /** Prompt format of the model (`prover.format`). */
  format: z.string(),
  verdicts: verdictCountsSchema,
  /** The run whose grown library proofs could use, and its number of theorems; set if there was one. */
  library: z.strictObject({ run: z.string(), theorems: count }).optional(),
  groups: z.array(evaluationGroupSchema),
  /** Tokens of all answers; tokens of all prompts if the engine counts them. */
  tokens: count,
  promptTokens: count.optional(),
  /** Price of all tokens by `sampling.price`, in its currency. */
  cost: z.number().nonnegative().optional(),
  /** Lean CPU time for the verdicts on all distinct samples and for the searches, seconds. */
  leanSeconds: z.number().nonnegative(),
  /** Sums over all searches; set if the prover searches. */
  search: searchFiguresSchema.optional(),
  /** False if Lean ran without a sandbox, as in a run's summary. */
  eligible: z.boolean(),
  /** Reasons why the results are not eligible; empty if they are. */
  ineligibleBecause: z.array(z.string()),
});
export type EvaluationReport = z.infer<typeof evaluationReportSchema>;

export interface EvaluationFiles {
  readonly evaluation: z.infer<typeof artifactRefSchema>;
  readonly log: z.infer<typeof artifactRefSchema>;
}
