/**
 * The configuration of a run: one strict schema. Presets are data (`data/presets/*.json`); precedence is
 * preset < config file < `STP_*` environment < flags, resolved by `packages/config/resolve.ts`. The resolved copy is stored
 * with the run as `config.json`.
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
    /** The head is the embedding matrix, or with false a matrix of its own. */
    tiedEmbeddings: z.boolean().default(true),
  })
  .refine((shape) => shape.hiddenSize % (2 * shape.heads) === 0, 'hiddenSize must be a multiple of twice heads')
  .refine((shape) => shape.heads % shape.keyValueHeads === 0, 'heads must be a multiple of keyValueHeads');

const optimiserSchema = z.strictObject({
  /** Passes over the examples; steps = epochs × examples / examplesPerStep, at least stepsMin, at most stepsMax (STP §2.10). */
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
  /** Every random choice of the run comes from this and from what is chosen. */
  seed: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
  data: z.strictObject({
    /** Folders under `problems` of the data folder (`STP_DATA`, where `bin/stp data prepare` writes), or of the repository's `data`. */
    problemSets: z.array(setName).min(1),
    /** What the first model is trained on: `library`, or a prepared set under `SFT` of the data folder. */
    sft: setName,
    /**
     * Matching weight of a set's statements from a round on (STP §1.1): how much they count in the transport, and how
     * often a seed stands in the conjecturer's inputs. Sets that are not named, and rounds before the first named, keep
     * the weight the statements were prepared with (1 unless a dataset configuration said otherwise).
     */
    weights: z.record(
      z.string(),
      z.array(z.strictObject({ fromRound: z.number().int().nonnegative(), weight: positive.max(10_000) })).min(1),
    ),
    /** Statements taken of each set and split, in file order after a seeded shuffle; null takes all. */
    trainStatementsPerSetMax: positive.nullable(),
    heldOutStatementsPerSetMax: positive.nullable(),
    /** Add proofs found by the search for short tactic scripts over library statements. */
    useSearchedProofs: z.boolean(),
    /**
     * Conjecturer examples that end in one theorem of the library: some are the goal of dozens of tuples. Null: all (STP). Under a
     * grammar by type: equations over the functions near one theorem.
     */
    conjecturerExamplesPerTheoremMax: z.number().int().nonnegative().nullable(),
  }),
  model: modelShapeSchema,
  /** How statements are proved. */
  prover: proverConfigSchema,
  /** CPU threads of the embedded engine. Part of the result: sums in f32 differ between thread counts. */
  modelThreads: positive.max(256),
  sft: optimiserSchema,
  /** `grow`: what a round certified, of conjectures and of the dataset, joins the library of the run. STP's is fixed. */
  library: z.enum(['fixed', 'grow']),
  sampling: z.strictObject({
    samplesPerStatement: positive.max(100_000),
    /** Samples in round 0 (STP: 64 where later rounds take 32; the paper: 32). */
    samplesFirstRound: positive.max(100_000),
    /** Samples for a conjecture; null: as many as for a statement (STP). */
    samplesPerConjecture: positive.max(100_000).nullable().default(null),
    temperature: z.number().min(0).max(4),
    topP: z.number().positive().max(1),
    maxTokens: positive,
    /** Price of a million tokens in USD: metrics, evaluations and the run's cost count it. */
    price: z
      .strictObject({ prompt: z.number().nonnegative(), answer: z.number().nonnegative() })
      .nullable()
      .default(null),
    /** Statements in a shard, at most: one sampling and one verification activity each. */
    statementsPerShard: positive,
  }),
  /** Who writes conjectures, and how (docs/conjectures.md). */
  conjectures: conjecturerConfigSchema,
  selection: z.strictObject({
    /** Chance that a statement proved at a high rate is attempted again (stp-code: 0.05; stp-paper: 0; optimised EI: 1). */
    reattemptProbability: share,
    /** Proved statements below this best rate are attempted again (stp-code: 0.35; stp-paper: 0). */
    reattemptPassRateBelow: share,
    /** Proofs train the prover when their statement's pass rate over the window is at most (or below) this (STP §2.9: 1/2). */
    proverBandMax: share,
    /** Is the bound itself in the band? stp-code: yes; stp-paper: no. */
    proverBandInclusive: z.boolean(),
    /** Rounds whose proofs are replayed, this one included (STP §2.9: 3); null: all rounds (expert iteration). */
    replayRounds: positive.nullable(),
    /** Distinct proofs of a statement at most, chosen at random; null: all (STP). Expert iteration: 16. */
    proofsPerStatementMax: positive.nullable(),
    /** Weight exp(−a·characters − b·seconds) / distinct proofs (STP §2.9: 0.001 and 0.01; 0 seconds before v2). */
    decayPerCharacter: z.number().nonnegative(),
    decayPerSecond: z.number().nonnegative(),
  }),
  training: optimiserSchema.extend({
    /** Which weights a round's training starts from: the round's own model (STP), the SFT model (EI), or none at all (parallel sampling). */
    from: z.enum(['previous', 'sft', 'none']),
  }),
  /** What trains the model in a round (docs/rewards.md). */
  objective: runObjectiveSchema.prefault({ kind: 'likelihood' }),
  retrain: z.strictObject({
    /** Retrain from the base after every this many rounds, and after the last; 0 never. */
    everyRounds: z.number().int().nonnegative(),
    optimiser: optimiserSchema,
    /** Proofs of conjectures join when the pass rate in their round is at most this (STP §3: 1/4). */
    conjectureBandMax: share,
    /** The same for dataset statements: null exempts them (stp-code); stp-paper: 1/4. */
    datasetBandMax: share.nullable(),
    /** Distinct proofs of a statement at most (STP §3: 16). */
    proofsPerStatementMax: positive,
  }),
  verification: z.strictObject({
    /** Lean processes at once on a node. */
    processes: positive.max(1_024),
    candidatesPerProcess: positive,
    candidateTimeoutMs: positive,
    /**
     * Lean's `maxHeartbeats` for a proof. Null: 1,000 first, and 20,000 for what uses these up, which then takes two seconds
     * and a Lean process of its own. A small model's samples hold many that run away and few proofs that need more than a second.
     */
    heartbeatsMax: positive.nullable().default(null),
    memoryBytesMax: positive,
    /** How Lean is spoken to: batches of `lean --json`, or warm language servers. */
    driver: z.enum(['json', 'server']),
    /**
     * `required`: nothing is checked unless Lean is walled in and a probe has shown it. `where-available`: walled in where
     * that can be done, else not, and the run says that its results are not eligible. `off`: never, and it says so.
     */
    sandbox: z.enum(['required', 'where-available', 'off']),
    /**
     * Of this share of the samples it is asked why Lean rejects them; rejecting the others takes about half of the time. Null: of
     * all where rejected proofs are revised, else of a tenth.
     */
    explainedShare: share.nullable().default(null),
    /** A round fails when more than this share of its samples has no verdict (STP §2.6: 0.005). */
    unverifiedShareMax: share,
  }),
  /** Which rounds' checkpoints stay in the store; what the run works with always does. */
  retention: z
    .strictObject({
      /** Checkpoints of so many last rounds stay; null: all. A round that is tried again needs the one before it. */
      lastRounds: positive.min(2).nullable(),
      /** Further checkpoints that stay: those of every so many rounds; null: none. */
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
    /** Samples for each held-out statement, of the first and of the last model; 0 leaves the evaluation out. */
    samplesPerStatement: z.number().int().nonnegative(),
    /** Also after every so many rounds; 0: at the end only. */
    everyRounds: z.number().int().nonnegative(),
  }),
});

/** Sections that cannot go together do not parse (`run-combinations.ts`). */
export const runConfigSchema = runSections.superRefine((config, context) => {
  for (const { path, message } of combinationProblems(config)) context.addIssue({ code: 'custom', path, message });
});
export type RunConfig = z.infer<typeof runConfigSchema>;

/** Starts the workflow. */
export const startInputSchema = z.strictObject({
  rounds: roundsSchema,
  preset: z.string().min(1).max(64).default('embedded'),
  seed: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 31 - 1)
    .optional(),
  /** Another run to start from: its data, SFT model and, up to `fromRound`, its rounds. URI of the run's folder, or a path. */
  initFrom: z.string().min(1).max(4_096).optional(),
  /** Last round taken over from `initFrom`: -1 its SFT model alone; without it all its rounds. */
  fromRound: z.number().int().min(-1).max(ROUNDS_MAX).optional(),
  /** Values by dotted key, `{"sampling.samplesPerStatement": 8}`. */
  set: z.record(z.string().max(256), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});
export type StartInput = z.infer<typeof startInputSchema>;
