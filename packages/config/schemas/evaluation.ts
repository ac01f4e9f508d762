/** The input of `stp-evaluate`, and its output `evaluation.json`. */
import { z } from 'zod';
import { artifactRefSchema, checkpointRefSchema } from './artifact.ts';
import { passAtKSchema } from './model-evaluation.ts';
import { verdictCountsSchema } from './round.ts';
import { runConfigSchema, startInputSchema } from './run-config.ts';
import { searchFiguresSchema } from './search.ts';

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);

/** Statements of the problem sets that are evaluated. */
export const evaluatedSplitSchema = z.enum(['all', 'train', 'held-out']);
export type EvaluatedSplit = z.infer<typeof evaluatedSplitSchema>;

/** The choice of statements from the problem sets, with the library for their proofs. It never changes in the course of an evaluation. */
export const evaluatedStatementsSchema = z.strictObject({
  split: evaluatedSplitSchema,
  /** Keep statements for which the MD5 hash of their name, in hex, begins with this (ReProver's `--name-filter`). */
  nameFilter: z
    .string()
    .regex(/^[0-9a-f]{0,32}$/)
    .default(''),
  /** At most so many, the first in the order of the MD5 hashes of `SET:NAME`; null: all, in the order of the sets. */
  theorems: count.min(1).nullable().default(null),
  /** Run in the same place whose grown library proofs may use: its name or URI; null: none. */
  library: z.string().min(1).max(4_096).nullable().default(null),
});
export type EvaluatedStatements = z.infer<typeof evaluatedStatementsSchema>;

/** Problem sets, samples, temperature and seed are in the configuration: `data.problemSets`, `sampling`, `seed`. */
export const evaluateInputSchema = startInputSchema.pick({ preset: true, seed: true, set: true }).extend({
  ...evaluatedStatementsSchema.shape,
  /** Checkpoint folder, absolute, readable by the node; null with `prover.mode` `scripts`, which asks no model. */
  checkpoint: z.string().min(1).max(4_096).nullable(),
  /** The model as a person named it; the name of a prover that has none. */
  modelName: z.string().min(1).max(4_096),
  /** Round of the run that the model comes from; null for its SFT model and for a folder of its own. */
  round: count.nullable(),
});
export type EvaluateInput = z.input<typeof evaluateInputSchema>;

/** Everything an evaluation needs before the first sample. */
export const evaluationPlanSchema = z.strictObject({
  config: runConfigSchema,
  checkpoint: checkpointRefSchema,
  /** All statements; the first label of each is its group. */
  statements: artifactRefSchema,
  shards: z.array(artifactRefSchema),
  /** Grown theorems. */
  library: artifactRefSchema.nullable(),
});
export type EvaluationPlan = z.infer<typeof evaluationPlanSchema>;

/** Statements of one problem set and split. */
export const evaluationGroupSchema = z.strictObject({
  /** `minif2f held-out`. */
  group: z.string(),
  statements: count,
  /** Statements with a proof that counts. */
  proved: count,
  /** Statements whose search could begin: Lean and the screen accept the statement. Set if proofs were searched for. */
  begun: count.optional(),
  /** Samples without a verdict. */
  unverified: count,
  /** Why there are no estimates, or null. */
  refused: z.string().nullable(),
  /** STP's estimator (short last blocks dropped); `deviation` over the blocks, null for fewer than four. */
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
  /** Samples that ended at a limit of tokens, and those of them without any token: the prompt filled the model's context. */
  cutOff: z.strictObject({ samples: count, empty: count }),
  /** Prompt format of the model (`prover.format`). */
  format: z.string(),
  verdicts: verdictCountsSchema,
  /** The run whose grown library proofs could use, and its theorems; set where there was one. */
  library: z.strictObject({ run: z.string(), theorems: count }).optional(),
  groups: z.array(evaluationGroupSchema),
  /** Tokens of all answers, and of all prompts where the engine counts them. */
  tokens: count,
  promptTokens: count.optional(),
  /** Price of all tokens by `sampling.price`, in its currency. */
  cost: z.number().nonnegative().optional(),
  /** Lean's time for the verdicts on all distinct samples and for the searches, seconds. */
  leanSeconds: z.number().nonnegative(),
  /** Figures of all searches; set if the evaluation searched for proofs. */
  search: searchFiguresSchema.optional(),
  /** False where Lean ran without a sandbox, as in a run's summary. */
  eligible: z.boolean(),
  /** Reasons why the results are not eligible; empty where they are. */
  ineligibleBecause: z.array(z.string()),
});
export type EvaluationReport = z.infer<typeof evaluationReportSchema>;

export interface EvaluationFiles {
  readonly evaluation: z.infer<typeof artifactRefSchema>;
  readonly log: z.infer<typeof artifactRefSchema>;
}
