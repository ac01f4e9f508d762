/** Manifests and summaries: the results of a round, and the run's summary at its end. */
import { z } from 'zod';
import { artifactRefSchema, checkpointRefSchema } from './artifact.ts';
import { sandboxFactsSchema } from './certificate.ts';
import { judgeSpentSchema } from './judge.ts';
import { CHOOSERS, gateVerdictSchema, verdictKindSchema } from './records.ts';
import { shardSearchSchema } from './search.ts';

const count = z.number().int().nonnegative();
export const verdictCountsSchema = z.partialRecord(verdictKindSchema, count);
export type VerdictCounts = z.infer<typeof verdictCountsSchema>;

/** Verdicts of several shards or rounds together. */
export function sumVerdicts(parts: readonly VerdictCounts[]): VerdictCounts {
  const total: VerdictCounts = {};
  for (const part of parts)
    for (const [kind, added] of Object.entries(part) as [keyof VerdictCounts, number][])
      total[kind] = (total[kind] ?? 0) + added;
  return total;
}
/** Tokens of several shards together; those of prompts only where all count them. */
export function sumTokens(shards: readonly { readonly tokens: number; readonly promptTokens?: number | undefined }[]): {
  readonly tokens: number;
  readonly promptTokens?: number;
} {
  const tokens = shards.reduce((sum, shard) => sum + shard.tokens, 0);
  const counted = shards.flatMap(({ promptTokens }) => (promptTokens === undefined ? [] : [promptTokens]));
  if (counted.length < shards.length) return { tokens };
  return { tokens, promptTokens: counted.reduce((sum, one) => sum + one, 0) };
}

/** What tokens cost by `sampling.price`; nothing where there is no price. */
export function costOf(
  { tokens, promptTokens = 0 }: { readonly tokens: number; readonly promptTokens?: number | undefined },
  price: { readonly prompt: number; readonly answer: number } | null | undefined,
): { readonly cost?: number } {
  return price ? { cost: (tokens * price.answer + promptTokens * price.prompt) / 1e6 } : {};
}

export const gateCountsSchema = z.partialRecord(gateVerdictSchema, count);
export type GateCounts = z.infer<typeof gateCountsSchema>;

/** One statement's fate in one round. */
export const rateSchema = z.strictObject({
  statementId: z.string(),
  origin: z.enum(['dataset', 'conjecture']),
  /** Samples with a verdict (multiplicity counted); `infra` is never among them. */
  attempts: count,
  successes: count,
});
export type Rate = z.infer<typeof rateSchema>;

/** Folder of a piece's objects under its stage's: of a shard, or a part of what is gated. */
export const partFolder = (stage: string, kind: 'shard' | 'gate', index: number): string =>
  `${stage}/${kind}-${String(index).padStart(4, '0')}`;
export const shardFolder = (stage: string, index: number): string => partFolder(stage, 'shard', index);

const figuresSchema = z.record(z.string().max(64), z.number());

/** Refs of one sampled and verified shard. */
export const shardResultSchema = z.strictObject({
  items: artifactRefSchema,
  samples: artifactRefSchema,
  verdicts: artifactRefSchema,
  /** The weakest walls that Lean gave any of these verdicts within; missing where judges gave them. */
  sandbox: sandboxFactsSchema.optional(),
  sampleCount: count,
  distinctCount: count,
  tokens: count,
  /** Of the prompts of all samples, where the engine counts them. */
  promptTokens: count.optional(),
  /** Verdicts by kind, multiplicity counted; a sample without verdict is not in it. */
  verdictCounts: verdictCountsSchema,
  /** Statements of the shard with at least one proof. */
  provedStatements: count,
  /** Processor time Lean spent on the distinct samples of the shard, summed, ms. */
  checkMs: z.number().nonnegative(),
  /** What the shard's searches leave, if `prover.mode` asks for searches. */
  search: shardSearchSchema.optional(),
  /** With `prover.mode` `walks`: a record a sample. */
  walks: artifactRefSchema.optional(),
  /** With `prover.actions`: what scripts tried on the shard's statements, a record a statement. */
  tries: artifactRefSchema.optional(),
  /** Figures of the provers that had a turn at the shard, by name; their report sections add them up. */
  figures: figuresSchema.optional(),
});
export type ShardResult = z.infer<typeof shardResultSchema>;

/** Examples that a round's ranker of conjectures learned from, and those of them that paid. Without both sorts it ranks nothing. */
export const rankerFiguresSchema = z.strictObject({ examples: count, paying: count });
export type RankerFigures = z.infer<typeof rankerFiguresSchema>;

export const roundCountsSchema = z.strictObject({
  attempted: count,
  samples: count,
  distinctSamples: count,
  tokens: count,
  /** Of the prompts, where the engine counts them. */
  promptTokens: count.optional(),
  /** Time of Lean on the distinct samples, as `checkMs` of the shards. */
  leanSeconds: z.number().nonnegative(),
  conjecturesMade: count,
  /** Passed the gate and were attempted. */
  conjecturesAttempted: count,
  conjecturesProved: count,
  /** In the band, used the lemma, elegant: fit to train the conjecturer. */
  conjecturesKept: count,
  /** Of those kept, the ones that some unproved statement is near to (weight above 0); without transport, all of them. */
  conjecturesMatched: count,
  gate: gateCountsSchema,
  ranker: rankerFiguresSchema.optional(),
  verdicts: verdictCountsSchema,
  /** Dataset statements proved in this round, and ever, this round included. */
  provedThisRound: count,
  provedEver: count,
  /** Of those proved in this round, dataset statements and conjectures that `prover.scripts` alone proved. */
  provedByScripts: z.strictObject({ statements: count, conjectures: count }).optional(),
  certified: count,
  /** Proofs that Lean's kernel takes and ours does not. */
  kernelsDisagreed: count,
  proverExamples: count,
  conjecturerExamples: count,
  /** What the judges of its samples took, each answer counted once in the run. */
  judged: judgeSpentSchema.optional(),
  /** Of rounds that train by reward: statements whose samples were compared, those whose samples differed, samples without reward. */
  groups: z.strictObject({ compared: count, withSignal: count, samplesWithoutReward: count }).optional(),
});
export type RoundCounts = z.infer<typeof roundCountsSchema>;

/** Of the samples of a round, and of the judges that looked at them; what has no price costs nothing. */
export const costOfTokens = (counts: RoundCounts, price: Parameters<typeof costOf>[1]): number =>
  (costOf(counts, price).cost ?? 0) + (counts.judged?.cost ?? 0);

/** The counts of a round that did nothing. */
export const NO_ROUND_COUNTS: RoundCounts = {
  attempted: 0,
  samples: 0,
  distinctSamples: 0,
  tokens: 0,
  leanSeconds: 0,
  conjecturesMade: 0,
  conjecturesAttempted: 0,
  conjecturesProved: 0,
  conjecturesKept: 0,
  conjecturesMatched: 0,
  gate: {},
  verdicts: {},
  provedThisRound: 0,
  provedEver: 0,
  certified: 0,
  kernelsDisagreed: 0,
  proverExamples: 0,
  conjecturerExamples: 0,
};

export const roundManifestSchema = z.strictObject({
  round: count,
  modelIn: z.string(),
  rates: artifactRefSchema,
  proved: artifactRefSchema,
  /** Grown theorems that stood under this round's proofs of statements (`library: grow`); null: none. */
  library: artifactRefSchema.nullable(),
  conjectures: artifactRefSchema.nullable(),
  conjecturerExamples: artifactRefSchema.nullable(),
  examples: artifactRefSchema.nullable(),
  shards: z.array(shardResultSchema),
  /** Of rounds that train by reward: one a sample, in the order of the shards. */
  rewards: artifactRefSchema.optional(),
  counts: roundCountsSchema,
});
export type RoundManifest = z.infer<typeof roundManifestSchema>;

/** What the parent workflow keeps of a round. Small: it is in every continue-as-new. */
export const roundOutcomeSchema = z.strictObject({
  round: count,
  manifest: artifactRefSchema,
  checkpoint: checkpointRefSchema,
  counts: roundCountsSchema,
  secondsPerStage: z.record(z.string(), z.number()),
});
export type RoundOutcome = z.infer<typeof roundOutcomeSchema>;

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
  passAtK: z.strictObject({ first: z.array(passAtKSchema), last: z.array(passAtKSchema) }),
  /** Statements that the samples or the scripts prove (`prover.scripts`); missing where no scripts were tried. */
  withScripts: z.strictObject({ first: count, last: count }).optional(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;

/** The portfolio's results on some statements. */
const portfolioPartSchema = z.strictObject({
  proved: count,
  statements: count,
  /** Statements that it was not tried on, for want of time; they count as not proved. */
  untried: count,
  /** By the name of the problem set. */
  bySet: z.record(z.string(), z.strictObject({ proved: count, statements: count })),
});
export type PortfolioPart = z.infer<typeof portfolioPartSchema>;

/** The line to beat: the portfolio of scripts on the run's training statements and on the held-out ones. */
export const portfolioFiguresSchema = portfolioPartSchema.extend({
  heldOut: portfolioPartSchema,
  /** The Lean with which it was found, earlier, that no script proves the others; null where that was the run's own. */
  recordedWith: z.string().nullable(),
});
export type PortfolioFigures = z.infer<typeof portfolioFiguresSchema>;

/** Time of the run's machines from its start up to a moment, by workflow time. */
export const machineTimeSchema = z.strictObject({
  /** `start`: the first state is kept, before any round is played; a round: it has ended; `report`: the report is made. */
  until: z.union([z.literal('start'), count, z.literal('report')]),
  atMs: count,
  /** While the machines were there, however many; and the same for each of them, added up. */
  setMs: z.number().nonnegative(),
  machineMs: z.number().nonnegative(),
});
export type MachineTime = z.infer<typeof machineTimeSchema>;

const costLineSchema = z.strictObject({
  until: machineTimeSchema.shape.until,
  machineHours: z.number().nonnegative(),
  leanSeconds: z.number().nonnegative(),
  tokens: count,
  /** Machines and tokens; null where no price of the machines is known. */
  usd: z.number().nonnegative().nullable(),
});

/** What a run cost: a line for what came before the rounds, one a round, one for what came after them. */
export const runCostSchema = z.strictObject({
  /** `4 chips of v4, spot` */
  machines: z.string(),
  /** How the machines are priced. */
  basis: z.string(),
  lines: z.array(costLineSchema),
  machineHours: z.number().nonnegative(),
  usd: z.number().nonnegative().nullable(),
});
export type RunCost = z.infer<typeof runCostSchema>;

/** Where a person finds the run in a tracker: an object of the run's store. */
export const trackingLinkSchema = z.strictObject({
  tracker: z.enum(['mlflow', 'tensorboard', 'wandb']),
  /** Null where the tracker has no page of the run that is known. */
  url: z.string().max(4_096).nullable(),
  /** What to call it, or what to type to see it. */
  text: z.string().max(4_096),
  /** The tracker's own id of the run. */
  id: z.string().max(256).nullable(),
});
export type TrackingLink = z.infer<typeof trackingLinkSchema>;

/** What a run proved of a set of statements from a compiled library, of its training part. */
const libraryProgressSchema = z.strictObject({
  set: z.string(),
  /** All modules are Lean's own. */
  isCore: z.boolean(),
  statements: count,
  proved: count,
  /** Of these: a proof rests on nothing but Lean's three axioms. */
  onAxiomsOnly: count,
  /** `provedPerRound`: after each round, the baseline first. */
  areas: z.array(z.strictObject({ area: z.string(), statements: count, provedPerRound: z.array(count) })),
});
export type LibraryProgress = z.infer<typeof libraryProgressSchema>;

export const summarySchema = z.strictObject({
  run: z.string(),
  preset: z.string(),
  leanVersion: z.string(),
  statements: count,
  provedBaseline: count,
  /** Dataset statements proved ever, after each round; a skipped round repeats the figure before it. */
  provedPerRound: z.array(count),
  conjectures: z.strictObject({
    made: count,
    proved: count,
    kept: count,
    /** By who chose them: attempted and proved ones, and those that later proofs rest on. Each counts once. */
    by: z.record(z.enum(CHOOSERS), z.strictObject({ attempted: count, proved: count, used: count })).optional(),
  }),
  samples: count,
  verdicts: verdictCountsSchema,
  secondsPerStage: z.record(z.string(), z.number()),
  sft: z.strictObject({
    libraryProofs: count,
    searchedProofs: count,
    conjecturerExamples: count,
    steps: count,
    loss: z.number(),
  }),
  rounds: z.array(roundCountsSchema.extend({ round: count, model: z.string(), skipped: z.boolean() })),
  heldOut: evaluationSchema.nullable(),
  /** Held-out evaluations between rounds (`evaluation.everyRounds`), in order. */
  evaluations: z.array(roundEvaluationSchema),
  /**
   * Certified proofs by what the second kernel said of them: `accepted` are checked twice, of `declined` it could not tell,
   * about `none` it was not asked. `disagreed`: proofs that it refused, which are not certified.
   */
  secondKernel: z.strictObject({ accepted: count, declined: count, none: count, disagreed: count }),
  /** Null where it could not be measured. */
  portfolio: portfolioFiguresSchema.nullable(),
  cost: runCostSchema,
  /** Missing where no tracker has the run. */
  tracking: z.array(trackingLinkSchema).optional(),
  /** By set; missing where no statement comes from a compiled library. */
  libraries: z.array(libraryProgressSchema).optional(),
  proofsInFile: count,
  /** May the result be reported as one? Not where Lean ran without a sandbox. */
  eligible: z.boolean(),
  /** Why not; empty where it is. */
  ineligibleBecause: z.array(z.string()),
});
export type Summary = z.infer<typeof summarySchema>;
