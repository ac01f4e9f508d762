/**
 * The configuration of a run: one strict schema. Presets are data (`data/presets/*.json`); precedence is
 * preset < config file < `STP_*` environment < flags, resolved by `data/config/resolve.ts`. The resolved copy is stored
 * with the run as `config.json`.
 */
import { z } from 'zod';

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

export const runConfigSchema = z.strictObject({
  preset: z.string().min(1).max(64),
  rounds: roundsSchema,
  /** Every random choice of the run comes from this and from what is chosen. */
  seed: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
  data: z.strictObject({
    /** Folders under `data/problems`. */
    problemSets: z.array(z.string().regex(/^[a-z0-9-]+$/)).min(1),
    /** Statements taken of each set and split, in file order after a seeded shuffle; null takes all. */
    trainStatementsPerSetMax: positive.nullable(),
    heldOutStatementsPerSetMax: positive.nullable(),
    /** Add proofs found by the search for short tactic scripts over library statements. */
    useSearchedProofs: z.boolean(),
    /** Conjecturer examples that end in one theorem: some are the goal of dozens of tuples. */
    conjecturerExamplesPerTheoremMax: positive,
  }),
  model: modelShapeSchema,
  /** CPU threads of the embedded engine. Part of the result: sums in f32 differ between thread counts. */
  modelThreads: positive.max(256),
  sft: optimiserSchema,
  sampling: z.strictObject({
    samplesPerStatement: positive.max(100_000),
    temperature: z.number().min(0).max(4),
    topP: z.number().positive().max(1),
    maxTokens: positive,
    /** Statements in a shard: one sampling and one verification activity each. */
    statementsPerShard: positive,
  }),
  conjectures: z.strictObject({
    /** Conjectures that are attempted in a round, at most; 0 makes the run expert iteration. */
    perRoundMax: z.number().int().nonnegative(),
    /** Completions asked of the conjecturer for each place, since most do not pass the gate. */
    oversampling: z.number().min(1).max(100),
    /** A proved dataset statement seeds conjectures when its pass rate is above this (STP §2.2: 0.35). */
    seedPassRateAbove: share,
    /** Chance that a seed is also used with no lemma (STP §2.2: 0.5). */
    noLemmaProbability: share,
    /** Inputs a lemma may have, as a share of the statements (STP §2.2: 0.1). */
    lemmaShareMax: share,
    /** Copies of one input at most (STP §2.2: 8). */
    copiesMax: positive,
    /** A small model writes statements that parse only when it is kept near what it knows. */
    temperature: z.number().min(0).max(4),
    maxTokens: positive,
    /** Conjectures that train the conjecturer have pass rates in (0, this] (STP §2.7: 1/4). */
    bandMax: share,
    /** Share of the least elegant dropped: shortest proof over statement length (STP §2.7: 0.2). */
    inelegantShare: share,
  }),
  selection: z.strictObject({
    /** Chance that a statement proved at a high rate is attempted again (STP §2.4: 0.05). */
    reattemptProbability: share,
    /** Proved statements at or below this rate are attempted again (STP §2.4: 0.35). */
    reattemptPassRateMax: share,
    /** Proofs train the prover when their statement's pass rate is at most this (STP §2.9: 1/2). */
    proverBandMax: share,
    /** Rounds whose proofs are replayed, this one included (STP §2.9: 3). */
    replayRounds: positive,
    /** Weight exp(−a·characters − b·seconds) / distinct proofs (STP §2.9: 0.001 and 0.01). */
    decayPerCharacter: z.number().nonnegative(),
    decayPerSecond: z.number().nonnegative(),
  }),
  training: optimiserSchema,
  retrain: z.strictObject({
    /** Retrain from the base after every this many rounds, and after the last; 0 never. */
    everyRounds: z.number().int().nonnegative(),
    optimiser: optimiserSchema,
    /** Proofs of conjectures join when the pass rate is at most this; dataset statements always (STP §3: 1/4). */
    conjectureBandMax: share,
    /** Distinct proofs of a statement at most (STP §3: 16). */
    proofsPerStatementMax: positive,
  }),
  verification: z.strictObject({
    /** Lean processes at once on a node. */
    processes: positive.max(1_024),
    candidatesPerProcess: positive,
    candidateTimeoutMs: positive,
    memoryBytesMax: positive,
    /** A round fails when more than this share of its samples has no verdict (STP §2.6: 0.005). */
    unverifiedShareMax: share,
  }),
  evaluation: z.strictObject({
    /** Samples for each held-out statement, of the first and of the last model; 0 leaves the evaluation out. */
    samplesPerStatement: z.number().int().nonnegative(),
  }),
});
export type RunConfig = z.infer<typeof runConfigSchema>;

/** What starts the workflow. `store` is where run folders live; null leaves it to the worker. */
export const startInputSchema = z.strictObject({
  rounds: roundsSchema,
  preset: z.string().min(1).max(64).default('embedded'),
  seed: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 31 - 1)
    .optional(),
  /** Values by dotted key, `{"sampling.samplesPerStatement": 8}`. */
  set: z.record(z.string().max(256), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});
export type StartInput = z.infer<typeof startInputSchema>;
