/** A run's final summary: its rounds, evaluations, cost, and the portfolio's results as the baseline. */
import { z } from 'zod';
import { evaluationSchema, roundEvaluationSchema } from './model-evaluation.ts';
import { CHOOSERS } from './records.ts';
import { roundCountsSchema, verdictCountsSchema } from './round.ts';

const count = z.number().int().nonnegative();

/** The portfolio's results on some statements. */
const portfolioPartSchema = z.strictObject({
  proved: count,
  statements: count,
  /** Statements that the portfolio did not try for lack of time; they count as not proved. */
  untried: count,
  /** Counts for each problem set, by name. */
  bySet: z.record(z.string(), z.strictObject({ proved: count, statements: count })),
});
export type PortfolioPart = z.infer<typeof portfolioPartSchema>;

/** The baseline: the portfolio of scripts on the run's training statements and on the held-out ones. */
export const portfolioFiguresSchema = portfolioPartSchema.extend({
  heldOut: portfolioPartSchema,
  /**
   * Version of the Lean for which an earlier record says that no script proves the rest; null if this run's Lean
   * tried all.
   */
  recordedWith: z.string().nullable(),
});
export type PortfolioFigures = z.infer<typeof portfolioFiguresSchema>;

/** Time of the run's machines from its start up to a moment, by workflow time. */
export const machineTimeSchema = z.strictObject({
  /**
   * `start`: the first state is saved, before any round. A number: that round has ended. `report`: the report is
   * made.
   */
  until: z.union([z.literal('start'), count, z.literal('report')]),
  atMs: count,
  /** Time during which the run had machines; and the sum of that time over all machines. */
  setMs: z.number().nonnegative(),
  machineMs: z.number().nonnegative(),
});
export type MachineTime = z.infer<typeof machineTimeSchema>;

const costLineSchema = z.strictObject({
  until: machineTimeSchema.shape.until,
  machineHours: z.number().nonnegative(),
  leanSeconds: z.number().nonnegative(),
  tokens: count,
  /** Cost of machines and tokens; null if the machines' price is unknown. */
  usd: z.number().nonnegative().nullable(),
});

/** The cost of a run: one line for the time before the rounds, one for each round, one for the time after them. */
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

/** Link to the run in a tracker; an object of the run's store. */
export const trackingLinkSchema = z.strictObject({
  tracker: z.enum(['mlflow', 'tensorboard', 'wandb']),
  /** Null if no page of the run is known. */
  url: z.string().max(4_096).nullable(),
  /** The link's text, or the command that shows the run. */
  text: z.string().max(4_096),
  /** The tracker's id of the run. */
  id: z.string().max(256).nullable(),
});
export type TrackingLink = z.infer<typeof trackingLinkSchema>;

/** A run's progress in a compiled library: how many of the training statements it has proved. */
const libraryProgressSchema = z.strictObject({
  set: z.string(),
  /** Whether all modules are Lean's own. */
  isCore: z.boolean(),
  statements: count,
  proved: count,
  /** Proved statements with a proof that depends only on Lean's three axioms. */
  onAxiomsOnly: count,
  /** `provedPerRound`: after each round, starting with round 0. */
  areas: z.array(z.strictObject({ area: z.string(), statements: count, provedPerRound: z.array(count) })),
});
export type LibraryProgress = z.infer<typeof libraryProgressSchema>;

export const summarySchema = z.strictObject({
  run: z.string(),
  preset: z.string(),
  leanVersion: z.string(),
  statements: count,
  provedBaseline: count,
  /** Dataset statements proved so far, after each round; a skipped round repeats the previous figure. */
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
   * Certified proofs by the second kernel's answer: `accepted`; `declined`, it could not decide; `none`, it was not
   * asked. `disagreed` counts proofs that it refused, which are not certified.
   */
  secondKernel: z.strictObject({ accepted: count, declined: count, none: count, disagreed: count }),
  /** Null if it could not be measured. */
  portfolio: portfolioFiguresSchema.nullable(),
  cost: runCostSchema,
  /** Missing if no tracker has the run. */
  tracking: z.array(trackingLinkSchema).optional(),
  /** Progress in each compiled library; missing if no statement comes from one. */
  libraries: z.array(libraryProgressSchema).optional(),
  proofsInFile: count,
  /** Whether the results are eligible: false if Lean ran without a sandbox. */
  eligible: z.boolean(),
  /** Reasons why the results are not eligible; empty if they are. */
  ineligibleBecause: z.array(z.string()),
});
export type Summary = z.infer<typeof summarySchema>;
