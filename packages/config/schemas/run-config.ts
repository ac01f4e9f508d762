/**
 * The configuration of a run: one strict schema. Presets are data (`data/presets/*.json`). Precedence is preset <
 * config file < `STP_*` environment < flags, resolved by `packages/config/resolve.ts`. The run stores the resolved
 * configuration as `config.json`.
 */
import { z } from 'zod';
import { conjecturerConfigSchema } from './conjecturers/index.ts';
import { enginesConfigSchema } from './engines.ts';
import { nodesConfigSchema } from './nodes.ts';
import { runObjectiveSchema } from './objectives/index.ts';
import { proverConfigSchema } from './provers/index.ts';
import { combinationProblems } from './run-combinations.ts';
import { setName } from './set-name.ts';

export const ROUNDS_MAX = 1_000;
const positive = z.number().int().positive();
const share = z.number().min(0).max(1);
const seedSchema = z
  .number()
  .int()
  .nonnegative()
  .max(2 ** 31 - 1);

export const roundsSchema = z
  .number({ error: 'rounds must be a whole number from 1 to 1000' })
  .int('rounds must be a whole number')
  .min(1, 'rounds must be at least 1')
  .max(ROUNDS_MAX, `rounds must be at most ${ROUNDS_MAX}`);

export const modelShapeSchema = z
  .strictObject({
    hiddenSize: positive.max(8_192),
    layers: positive.max(128),
    heads: positive.max(128),
    keyValueHeads: positive.max(128),
    feedForwardSize: positive.max(65_536),
    vocabularySize: positive.min(300).max(262_144),
    contextLength: positive.min(32).max(65_536),
    /** Use the embedding matrix as the head; false: the head has a matrix of its own. */
    tiedEmbeddings: z.boolean().default(true),
  })
  .refine((shape) => shape.hiddenSize % (2 * shape.heads) === 0, 'hiddenSize must be a multiple of twice heads')
  .refine((shape) => shape.heads % shape.keyValueHeads === 0, 'heads must be a multiple of keyValueHeads');

const optimiserSchema = z.strictObject({
  /**
   * Passes over the examples. Steps = epochs × examples / examplesPerStep, between stepsMin and stepsMax (STP §2.10).
   */
  epochs: z.number().positive().max(1_000),
  examplesPerStep: positive,
  stepsMin: positive,
  stepsMax: positive,
  tokensPerStep: positive,
  learningRate: z.number().positive().max(1),
  warmupSteps: z.number().int().nonnegative(),
  schedule: z.enum(['constant', 'linear']),
  weightDecay: z.number().nonnegative(),
  gradientClipNorm: z.number().positive(),
});
export type OptimiserConfig = z.infer<typeof optimiserSchema>;

export const trackerNameSchema = z.enum(['mlflow', 'tensorboard', 'wandb']);
export type TrackerName = z.infer<typeof trackerNameSchema>;

const runSections = z.strictObject({
  preset: z.string().min(1).max(64),
  rounds: roundsSchema,
  /** Every random choice of the run is derived from this seed and from the name of the choice. */
  seed: seedSchema,
  data: z.strictObject({
    /**
     * Folders under `problems` in the data folder (`STP_DATA`, where `bin/stp data prepare` writes) or in the
     * repository's `data`.
     */
    problemSets: z.array(setName).min(1),
    /** Training set of the first model: `library`, or a prepared set under `SFT` in the data folder. */
    sft: setName,
    /**
     * Matching weight of a set's statements from a given round on (STP §1.1). It sets how much they count in the
     * transport, and how often a seed occurs in the conjecturer's inputs. Other sets, and rounds before the first
     * given one, keep the prepared weight (1 unless a dataset configuration sets it).
     */
    weights: z.record(
      z.string(),
      z.array(z.strictObject({ fromRound: z.number().int().nonnegative(), weight: positive.max(10_000) })).min(1),
    ),
    /** Maximum statements of each set and split, in file order after a seeded shuffle; null: all. */
    trainStatementsPerSetMax: positive.nullable(),
    heldOutStatementsPerSetMax: positive.nullable(),
    /** Add the proofs that a search for short tactic scripts found for library statements. */
    useSearchedProofs: z.boolean(),
    /**
     * Maximum conjecturer examples whose goal is the same library theorem; some theorems are the goal of dozens of
     * tuples. Under a typed grammar: maximum equations over the functions near one theorem. Null: all (STP).
     */
    conjecturerExamplesPerTheoremMax: z.number().int().nonnegative().nullable(),
  }),
  model: modelShapeSchema,
  /** How statements are proved. */
  prover: proverConfigSchema,
  /** CPU threads of the embedded engine. They affect results: f32 sums differ between thread counts. */
  modelThreads: positive.max(256),
  sft: optimiserSchema,
  /**
   * `grow`: conjectures and dataset statements proved in a round join the library of the run. STP's library is fixed.
   */
  library: z.enum(['fixed', 'grow']),
  sampling: z.strictObject({
    samplesPerStatement: positive.max(100_000),
    /** Samples per statement in round 0 (STP: 64, and 32 in later rounds; the paper: 32). */
    samplesFirstRound: positive.max(100_000),
    /** Samples per conjecture; null: as many as per statement (STP). */
    samplesPerConjecture: positive.max(100_000).nullable().default(null),
    temperature: z.number().min(0).max(4),
    topP: z.number().positive().max(1),
    maxTokens: positive,
    /** Price of a million tokens in USD, for metrics, evaluations and the run's cost. */
    price: z
      .strictObject({ prompt: z.number().nonnegative(), answer: z.number().nonnegative() })
      .nullable()
      .default(null),
    /** Maximum statements in a shard. Each shard has one sampling and one verification activity. */
    statementsPerShard: positive,
  }),
  /** Who writes conjectures, and how (docs/conjectures.md). */
  conjectures: conjecturerConfigSchema,
  selection: z.strictObject({
    /**
     * Probability that a statement proved at a high rate is attempted again (stp-code: 0.05; stp-paper: 0; optimised
     * EI: 1).
     */
    reattemptProbability: share,
    /** Proved statements whose best rate is below this are attempted again (stp-code: 0.35; stp-paper: 0). */
    reattemptPassRateBelow: share,
    /**
     * Proofs train the prover if their statement's pass rate over the window is at most (or below) this (STP §2.9:
     * 1/2).
     */
    proverBandMax: share,
    /** Whether the band includes its upper end (stp-code: yes; stp-paper: no). */
    proverBandInclusive: z.boolean(),
    /**
     * Number of rounds whose proofs are replayed, this one included (STP §2.9: 3); null: all rounds (expert
     * iteration).
     */
    replayRounds: positive.nullable(),
    /** Maximum distinct proofs of a statement, chosen at random; null: all (STP). Expert iteration: 16. */
    proofsPerStatementMax: positive.nullable(),
    /** Weight exp(−a·characters − b·seconds) / distinct proofs (STP §2.9: 0.001 and 0.01; 0 seconds before v2). */
    decayPerCharacter: z.number().nonnegative(),
    decayPerSecond: z.number().nonnegative(),
  }),
  training: optimiserSchema.extend({
    /**
     * The weights that a round's training starts from: the previous model's (STP), the SFT model's (EI), or no
     * training (parallel sampling).
     */
    from: z.enum(['previous', 'sft', 'none']),
  }),
  /** What trains the model in a round (docs/rewards.md). */
  objective: runObjectiveSchema.prefault({ kind: 'likelihood' }),
  retrain: z.strictObject({
    /** Retrain after this many rounds each, and after the last; 0: never. */
    everyRounds: z.number().int().nonnegative(),
    /** The weights that it starts from: the base model's, or fresh ones without a base (STP), or the SFT model's. */
    from: z.enum(['base', 'sft']).default('base'),
    optimiser: optimiserSchema,
    /** Proofs of conjectures join the retraining if the pass rate in their round is at most this (STP §3: 1/4). */
    conjectureBandMax: share,
    /** The same for dataset statements; null: no limit (stp-code); stp-paper: 1/4. */
    datasetBandMax: share.nullable(),
    /** Maximum distinct proofs of a statement (STP §3: 16). */
    proofsPerStatementMax: positive,
  }),
  verification: z.strictObject({
    /** Concurrent Lean processes on a node. */
    processes: positive.max(1_024),
    candidatesPerProcess: positive,
    candidateTimeoutMs: positive,
    /**
     * Lean's `maxHeartbeats` for a proof. Null: 1,000 first, then 20,000 for proofs that exceed it; the second check
     * takes about two seconds and a Lean process of its own. Few samples of a small model need more than the first
     * limit.
     */
    heartbeatsMax: positive.nullable().default(null),
    memoryBytesMax: positive,
    /** The interface to Lean: batches of `lean --json`, or warm language servers. */
    driver: z.enum(['json', 'server']),
    /**
     * `required`: Lean runs only in a sandbox that a probe has tested. `where-available`: in a sandbox if the machine
     * allows it; otherwise without one, and the results are marked as not eligible. `off`: always without one, marked
     * likewise.
     */
    sandbox: z.enum(['required', 'where-available', 'off']),
    /**
     * Share of the samples for which Lean is asked why it rejects them; a rejection without a reason takes about half
     * the time. Null: all if rejected proofs are revised, else a tenth.
     */
    explainedShare: share.nullable().default(null),
    /** A round fails if more than this share of its samples has no verdict (STP §2.6: 0.005). */
    unverifiedShareMax: share,
  }),
  /** Rounds whose checkpoints stay in the store. Checkpoints that the run still uses always stay. */
  retention: z
    .strictObject({
      /**
       * Number of last rounds whose checkpoints stay; null: all. Repeating a round needs the checkpoint of the round
       * before.
       */
      lastRounds: positive.min(2).nullable(),
      /** Also keep every n-th round's checkpoint; null: none. */
      everyRounds: positive.nullable(),
    })
    .default({ lastRounds: null, everyRounds: null }),
  nodes: nodesConfigSchema.prefault({ provider: 'local' }),
  /** Programs that show the run to people, beside its own report (docs/tracking.md). */
  tracking: z
    .array(trackerNameSchema)
    .max(3)
    .refine((names) => new Set(names).size === names.length, 'names one twice')
    .default([]),
  engines: enginesConfigSchema.prefault({}),
  evaluation: z.strictObject({
    /** Samples for each held-out statement, of the first and of the last model; 0: no evaluation. */
    samplesPerStatement: z.number().int().nonnegative(),
    /** Evaluate after every n-th round too; 0: at the end only. */
    everyRounds: z.number().int().nonnegative(),
  }),
});

/** The full schema, which also rejects sections that do not go together (`run-combinations.ts`). */
export const runConfigSchema = runSections.superRefine((config, context) => {
  for (const { path, message } of combinationProblems(config)) context.addIssue({ code: 'custom', path, message });
});
export type RunConfig = z.infer<typeof runConfigSchema>;

/** The input that starts the workflow. */
export const startInputSchema = z.strictObject({
  rounds: roundsSchema,
  preset: z.string().min(1).max(64).default('embedded'),
  seed: seedSchema.optional(),
  /** URI or path of a run to start from: its data, its SFT model, and its rounds up to `fromRound`. */
  initFrom: z.string().min(1).max(4_096).optional(),
  /** Last round taken from `initFrom`; -1: its SFT model alone. Missing: all its rounds. */
  fromRound: z.number().int().min(-1).max(ROUNDS_MAX).optional(),
  /** Values by dotted key, `{"sampling.samplesPerStatement": 8}`. */
  set: z.record(z.string().max(256), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});
export type StartInput = z.infer<typeof startInputSchema>;
