/** A run's summary at its end: its rounds, evaluations, cost, and the lines that a model has to beat. */
import { z } from 'zod';
import { evaluationSchema, roundEvaluationSchema } from './model-evaluation.ts';
import { CHOOSERS } from './records.ts';
import { roundCountsSchema, verdictCountsSchema } from './round.ts';

const count = z.number().int().nonnegative();

/** The portfolio's results on some statements. */
const portfolioPartSchema = z.strictObject({
  proved: count,
  statements: count,
  /** Statements that it was not tried on, for want of time; they count as not proved. */
  untried: count,
  /** Counts of each problem set, under its name. */
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

/** The cost of a run: a line for what came before the rounds, one a round, one for what came after them. */
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

/** A run's progress in a compiled library: how many statements of the training part it has proved. */
const libraryProgressSchema = z.strictObject({
  set: z.string(),
  /** All modules are Lean's own. */
  isCore: z.boolean(),
  statements: count,
  proved: count,
  /** Proved ones with a proof that rests on nothing but Lean's three axioms. */
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
    /** Conjectures attempted, proved, and used by later proofs, for each chooser. Each conjecture counts once. */
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
  /** Progress in each compiled library; missing where no statement comes from one. */
  libraries: z.array(libraryProgressSchema).optional(),
  proofsInFile: count,
  /** May the result be reported as one? Not where Lean ran without a sandbox. */
  eligible: z.boolean(),
  /** Why not; empty where it is. */
  ineligibleBecause: z.array(z.string()),
});
export type Summary = z.infer<typeof summarySchema>;
