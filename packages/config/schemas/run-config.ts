/**
 * The configuration of a run: one strict schema. Presets are data (`data/presets/*.json`); precedence is
 * preset < config file < `STP_*` environment < flags, resolved by `packages/config/resolve.ts`. The resolved copy is stored
 * with the run as `config.json`.
 */
import { z } from 'zod';
import { enginesConfigSchema } from './engines.ts';
import { judgingSchema } from './judge.ts';
import { nodesConfigSchema } from './nodes.ts';
import { flowSchema, LIKELIHOOD, likelihoodSchema, policySchema } from './objectives.ts';
import { formatNameSchema, promptFormatSchema } from './prompt-format.ts';

export const ROUNDS_MAX = 1_000;
const positive = z.number().int().positive();
const share = z.number().min(0).max(1);
/** Who says what a sample earns (`packages/selfplay/rewards/reward.ts`). */
const rewardNameSchema = z.enum(['lean', 'judge']);
export type RewardName = z.infer<typeof rewardNameSchema>;
/** Name of a folder with prepared data. */
const setName = z.string().regex(/^[a-z0-9-]+$/);

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

/** Learned verifiers that say what they make of tactics (docs/rewards.md). */
const verifierShape = {
  /** Folder of the ensemble on every node that samples; null: none. */
  verifier: z.string().min(1).max(4_096).nullable().default(null),
  /** What its word counts, in natural logarithms. */
  verifierWeight: z.number().min(0).max(1_000).default(1),
  /** The mean over the members less `verifierCaution` standard deviations, or the least of them. */
  verifierBy: z.enum(['mean', 'minimum']).default('mean'),
  verifierCaution: z.number().min(0).max(100).default(1),
};
export type VerifierConfig = Pick<SearchConfig, keyof typeof verifierShape>;

/** Best-first search over proof states, one search per statement (docs/decisions/0014). */
const searchConfigSchema = z.strictObject({
  /** Maximum number of states that a search expands. */
  expansions: positive.max(1_000_000).default(32),
  /** Tactics sampled for one state. Equal tactics are run once. */
  tactics: positive.max(1_024).default(8),
  /** α of a state's score Σ log p / L^α over the L tactics that lead to it: 0 gives the sum, 1 the mean. */
  lengthExponent: z.number().min(0).max(4).default(0.5),
  /** Wall time of one search in seconds. It includes waits for the model and for Lean. */
  seconds: z.number().positive().max(86_400).default(120),
  /** Lean's processor time in seconds for all steps of one search. */
  leanSeconds: z.number().positive().max(86_400).default(30),
  /** Its word is added to the score of the state that a tactic leads to. */
  ...verifierShape,
});
export type SearchConfig = z.infer<typeof searchConfigSchema>;

/** Revision by Lean's errors, as Goedel-Prover-V2's self-correction (arXiv 2508.03613). */
const revisionConfigSchema = z.strictObject({
  /** Answers after the first one of a sample. */
  turns: positive.max(16).default(2),
  /**
   * Tokens that the answers to one statement may take in a shard, first answers and revisions together. A revision is asked for
   * only while `sampling.maxTokens` fit. Null: no limit but `turns`.
   */
  tokensPerStatement: positive.nullable().default(null),
});

/** Walks over proof states: the policy's tactics one after another, without choosing among states. */
const walksConfigSchema = z.strictObject({
  /** Tactics of a walk, at most. */
  steps: positive.max(256).default(8),
  /** Share of the walks that are sampled at another temperature, between these two, to see more (gfn-lm-tuning: 0.666, 0.5 and 2). */
  temperedShare: share.default(0.5),
  temperatureMin: z.number().positive().max(4).default(0.5),
  temperatureMax: z.number().positive().max(4).default(1.5),
  /** Its word on the tactic that leads to an open state is a part of that state's reward, `openPenalty` at most to either side. */
  ...verifierShape,
});

/** How the prover meets a statement. */
const proverConfigSchema = z.strictObject({
  /**
   * Prompts show the definitions that a statement stands on, and names are slots in the model's text (docs/decisions/0013):
   * for small models trained from nothing on the library. Pretrained ones know names: off.
   */
  slots: z.boolean(),
  /** About how many tokens of a prompt the definitions may take, with `slots`. */
  definitionTokens: z.number().int().nonnegative().max(65_536),
  /**
   * Theorems that a prompt shows at most, of the library and of what the run has proved: those first that share rare names with
   * what is to be proved (docs/decisions/0041).
   */
  lemmasShown: z.number().int().nonnegative().max(64).default(0),
  /** About how many tokens of a prompt they may take. */
  lemmaTokens: z.number().int().nonnegative().max(65_536).default(100),
  /** Prompts and answers of the model's family (`data/formats`, docs/models.md), for both roles. Slots are of `embedded` alone. */
  format: formatNameSchema.default('embedded'),
  /** With `format` `custom`: the whole format. */
  customFormat: promptFormatSchema.nullable().default(null),
  /**
   * With `library: grow`: `marked` lets every second sample of a statement run with the library's theorems marked for `simp` and
   * `grind`; by `name` a sample uses those alone that the model names.
   */
  lemmas: z.enum(['name', 'marked']).default('name'),
  /**
   * `whole`: samples are whole proofs. `steps`: one search per statement, tactic by tactic, is its only sample, so its pass
   * rate is 0 or 1. `both`: whole proofs first; each statement that they do not prove gets one search as one more sample.
   * `revise`: whole proofs first; Lean's errors go back to the model, and each new answer is one more sample. `walks`: a sample is a
   * walk over proof states, tactic by tactic.
   */
  mode: z.enum(['whole', 'steps', 'both', 'revise', 'walks']).default('whole'),
  /**
   * `unproved`: what a shard's samples do not prove, inductions and case splits of the portfolio (`packages/lean-explore/portfolio`) try as well, with the
   * library's marks where `lemmas` is `marked`. Their proofs count, grow the library and train the model like its own.
   */
  scripts: z.enum(['none', 'unproved']).default('none'),
  search: searchConfigSchema.prefault({}),
  revision: revisionConfigSchema.prefault({}),
  walks: walksConfigSchema.prefault({}),
});
export type ProverConfig = z.infer<typeof proverConfigSchema>;

/** Of runs whose configuration says nothing of it: they were made before there were slots. */
export const PROVER_WITHOUT_SLOTS: ProverConfig = proverConfigSchema.parse({ slots: false, definitionTokens: 0 });

export const trackerNameSchema = z.enum(['mlflow', 'tensorboard', 'wandb']);
export type TrackerName = z.infer<typeof trackerNameSchema>;

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
    /** Weight of a conjecturer example of the library beside a proof's 1 (STP: 1). A small model learns proofs long before statements. */
    conjecturerWeight: z.number().positive().max(100),
  }),
  model: modelShapeSchema,
  prover: proverConfigSchema.default(PROVER_WITHOUT_SLOTS),
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
    /** Of a million tokens, in any currency: then metrics and evaluations say what proofs cost. */
    price: z
      .strictObject({ prompt: z.number().nonnegative(), answer: z.number().nonnegative() })
      .nullable()
      .default(null),
    /** Statements in a shard, at most: one sampling and one verification activity each. */
    statementsPerShard: positive,
  }),
  conjectures: z.strictObject({
    /**
     * Conjectures that are attempted in a round, at most: a number, as many as statements (stp-code) or as many as
     * unproved statements (stp-paper). 0 makes no conjectures: expert iteration or parallel sampling.
     */
    perRoundMax: z.union([z.number().int().nonnegative(), z.enum(['statements', 'unproved'])]),
    /** Completions asked of the conjecturer for each place, since most do not pass the gate. */
    oversampling: z.number().min(1).max(100),
    /**
     * Who writes conjectures. `model`: the conjecturer (STP). `explore`: equations over the functions near the seed or target that
     * hold on test values, smallest first (`packages/lean-explore/explore`); nothing learned, nothing sampled. `decode`: the conjecturer, under a
     * grammar by type over these functions, and what it writes has to hold on the same values; it takes slots, or a `format` of a language model, whose server gets the grammar. `both`: of either
     * sort. `random`: as many well-typed equations that nobody tested, as a negative control.
     */
    source: z.enum(['model', 'explore', 'decode', 'both', 'random']).default('model'),
    /**
     * With `explore` and `both`: where few of a round's explored equations are left to prove, exploration goes deeper (more functions, and
     * more of them in a side), so many steps at most.
     */
    deeperMax: z.number().int().nonnegative().max(3).default(0),
    /**
     * With `explore` and `both`: what is asked first of a function is whether it is one of Lean's core library, `plus n m = n + m`. Once
     * proved, that library's theorems serve.
     */
    coreEquivalents: z.boolean().default(true),
    /** What a conjecture is conditioned on: a proved statement and its lemma (STP), or an unproved target (SGS). */
    conditionOn: z.enum(['proved-seed', 'unproved-target']),
    /** A proved statement seeds conjectures when its best pass rate is above this (stp-code: 0.35; stp-paper: 0, any). */
    seedPassRateAbove: share,
    /** Conjecture level of a seed at most (STP: 0, dataset statements only; 1 lets conjectures seed conjectures). */
    seedLevelMax: z.number().int().nonnegative().max(1_000),
    /** Chance that a seed is also used with no lemma (STP §2.2: 0.5). */
    noLemmaProbability: share,
    /** Inputs a lemma may have, as a share of the statements (STP §2.2: 0.1). */
    lemmaShareMax: share,
    /** Copies of one input at most (STP §2.2: 8). */
    copiesMax: positive,
    /** A small model writes statements that parse only when it is kept near what it knows. */
    temperature: z.number().min(0).max(4),
    maxTokens: positive,
    /** What a conjecture must pass before any proof is sampled, beside elaborating and being new. STP asks none of it. */
    gate: z.strictObject({
      /** Refused when a cheap tactic closes it. */
      refuseTrivial: z.boolean(),
      /** Refused when its hypotheses contradict each other (cheaply provable). */
      refuseVacuous: z.boolean(),
      /** Refused when its negation is cheaply provable. */
      refuseRefutable: z.boolean(),
    }),
    /**
     * `band`: those in the band train, all alike before the transport (STP). `solve-rate`: reward 1 − pass rate (SGS §4.4 of stp.md).
     * `use`: those of the library, by the statements that this round proves with them, and by the lemmas whose proofs use them
     * (`packages/selfplay/use-credit.ts`), which takes a library that grows. `band-and-use`: both sorts.
     */
    reward: z.enum(['band', 'solve-rate', 'use', 'band-and-use']),
    /** Conjectures that train the conjecturer have pass rates in (0, this] or (0, this) (STP §2.7: 1/4). */
    bandMax: share,
    /** Is the bound itself in the band? stp-paper: yes; stp-code: no. */
    bandInclusive: z.boolean(),
    /** With `solve-rate`: the easiest share of a round's conjectures earns nothing (SGS: 0.3). */
    easiestShareDropped: share,
    /** Multiplies the reward by how related and how clean a conjecture is, 0 to 1 (SGS's guide; here a rule, no judge). */
    guide: z.enum(['none', 'rule']),
    /**
     * Conjectures that did not use the lemma are kept, relabelled as no-lemma ones, up to max(factor × those that did,
     * least) (stp-code: 20 and 4096; stp-paper: 0 and 0, the lemma must be used).
     */
    unusedLemmaFactor: z.number().nonnegative(),
    unusedLemmaLeast: z.number().int().nonnegative(),
    /** Share of the least elegant dropped: shortest proof over statement length (STP §2.7: 0.2). */
    inelegantShare: share,
    /** Quantile over all (stp-paper) or within each lemma's group (stp-code). */
    elegancyGroup: z.enum(['global', 'lemma']),
    /** Weights by optimal transport to unproved dataset statements (STP §2.8). */
    transport: z.strictObject({
      enabled: z.boolean(),
      /** A conjecture stops receiving once its weight is above (stp-paper: 3) or at least (stp-code: 4) this. */
      weightCap: z.number().positive(),
      capInclusive: z.boolean(),
    }),
  }),
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
    /** SFT examples mixed in, as a share of the round's own (0: none, STP). */
    sftShare: z.number().nonnegative().max(100),
    /**
     * `likelihood`: certified proofs train the model, weighted as `selection` says (STP). `grpo`: every sample trains it by its
     * advantage over the others of its statement. `gfn`: every walk trains it to end in each place as often as its reward says
     * (docs/rewards.md).
     */
    objective: z.discriminatedUnion('kind', [likelihoodSchema, policySchema, flowSchema]).default(LIKELIHOOD),
  }),
  /** With `training.objective` `grpo` or `gfn`. */
  rewards: z
    .strictObject({
      /** The reward is the sum of these sources', so weighted. `lean`: 1 for a certified proof, otherwise 0. `judge`: what `judging` makes of it; alone, problems and proofs are in words. */
      weights: z
        .partialRecord(rewardNameSchema, z.number().min(-100).max(100))
        .refine((weights) => Object.keys(weights).length > 0, 'name a source at least'),
      /** The reward less the group's mean: over the group's standard deviation (GRPO), or as it is (Dr. GRPO: `mean`). */
      advantage: z.enum(['deviation', 'mean']),
    })
    .default({ weights: { lean: 1 }, advantage: 'deviation' }),
  /** Who judges proofs in words, and how (docs/judges.md). With the weight of `judge` among the rewards. */
  judging: judgingSchema.nullable().default(null),
  /** With `training.objective` `gfn`: log R of a walk's end. A proof that counts has 0. */
  flows: z
    .strictObject({
      /** Less for a tactic that Lean refuses. */
      deadPenalty: z.number().nonnegative().max(1_000).default(8),
      /** Less for a state with goals left, and more of it for each goal. */
      openPenalty: z.number().nonnegative().max(1_000).default(4),
      goalPenalty: z.number().nonnegative().max(1_000).default(1),
      /** What all of this is divided by: below 1 the policy keeps to the best ends. */
      temperature: z.number().positive().max(100).default(1),
      /** Walks of the buffer beside a round's own, as a share of these; and how many the buffer holds for a statement. */
      bufferShare: share.default(0.25),
      bufferMax: positive.max(10_000).default(50),
    })
    .prefault({}),
  retrain: z.strictObject({
    /** Retrain from the base after every this many rounds, and after the last; 0 never. */
    everyRounds: z.number().int().nonnegative(),
    /** Start the replay window anew after a retraining (STP §2.11). */
    emptiesReplay: z.boolean(),
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
      /** Those of so many last rounds; null: all. A round that is tried again needs the one before it. */
      lastRounds: positive.min(2).nullable(),
      /** Beside them those of every so many rounds; null: none. */
      everyRounds: positive.nullable(),
    })
    .default({ lastRounds: null, everyRounds: null }),
  nodes: nodesConfigSchema.prefault({ provider: 'local' }),
  budget: z
    .strictObject({
      /**
       * USD that machines (by their price) and tokens (by `sampling.price`, which must be in USD then) may cost. At this sum
       * the run pauses, gives machines of a cloud back, and waits for the update `setBudget` with a higher one.
       */
      usdMax: z.number().positive().nullable().default(null),
    })
    .prefault({}),
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
export type RunConfig = z.infer<typeof runConfigSchema>;

/** The mode of a configuration. Older configurations may say nothing of the prover: they sample whole proofs. */
export function proverMode({ prover }: { readonly prover?: Partial<ProverConfig> }): ProverConfig['mode'] {
  return prover?.mode ?? 'whole';
}

/** Do samples train the model by their rewards? Older configurations do not say. */
export function trainsByReward({ training }: { readonly training?: Partial<RunConfig['training']> }): boolean {
  return (training?.objective?.kind ?? 'likelihood') !== 'likelihood';
}

/** Are problems and proofs in words? There is nothing for Lean to check then: judges alone say what samples earn. */
export function isInWords({ rewards }: { readonly rewards?: RunConfig['rewards'] }): boolean {
  return rewards !== undefined && Object.keys(rewards.weights).every((name) => name === 'judge');
}

/** As of `proverMode`. */
export function explainedShare(config: {
  readonly prover?: Partial<ProverConfig>;
  readonly verification: Pick<RunConfig['verification'], 'explainedShare'>;
}): number {
  return config.verification.explainedShare ?? (proverMode(config) === 'revise' ? 1 : 0.1);
}

/** As of `proverMode`. */
export function usesScripts({ prover }: { readonly prover?: Partial<ProverConfig> }): boolean {
  return prover?.scripts === 'unproved';
}

/** Does the model write conjectures? Otherwise it does not learn from them either. */
export const hasConjecturer = ({ source }: Pick<RunConfig['conjectures'], 'source'>): boolean =>
  source !== 'explore' && source !== 'random';

/** Does it write under a grammar by type? */
export const writesTyped = ({ source }: Pick<RunConfig['conjectures'], 'source'>): boolean =>
  source === 'decode' || source === 'both';

/** Is a conjecture of the library credited for its use? */
export const rewardsUse = (config: Pick<RunConfig['conjectures'], 'reward' | 'source'>): boolean =>
  hasConjecturer(config) && (config.reward === 'use' || config.reward === 'band-and-use');

/** The same configuration without scripts: the model alone. */
export const withoutScripts = (config: RunConfig): RunConfig => ({
  ...config,
  prover: { ...config.prover, scripts: 'none' },
});

/** Does the model write tactics alone, and no whole proofs? */
export const writesTactics = (mode: ProverConfig['mode']): boolean => mode === 'steps' || mode === 'walks';

/** Does the model meet proof states? */
export const meetsStates = (mode: ProverConfig['mode']): boolean => writesTactics(mode) || mode === 'both';

/**
 * The configuration by which models are compared on held-out statements. They are compared by whole proofs, or, if
 * `prover.mode` is `steps`, by one search per statement, if it is `walks` by walks. They are never compared by both, so that pass@k has one meaning. What
 * scripts prove beside them (`prover.scripts`) is counted apart.
 *
 * @param samples whole proofs per statement
 */
export function evaluationConfig(config: RunConfig, samples: number): RunConfig {
  const mode = proverMode(config);
  const samplesPerStatement = mode === 'steps' ? 1 : samples;
  // Compared are the models, not how they explore.
  const walks = { ...config.prover?.walks, temperedShare: 0, verifier: null };
  return {
    ...config,
    ...(mode === 'both' ? { prover: { ...config.prover, mode: 'whole' as const } } : {}),
    ...(mode === 'walks' ? { prover: { ...config.prover, walks } } : {}),
    sampling: { ...config.sampling, samplesPerStatement },
    evaluation: { ...config.evaluation, samplesPerStatement },
  };
}

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
  /** Another run to start from: its data, SFT model and, up to `fromRound`, its rounds. URI of the run's folder, or a path. */
  initFrom: z.string().min(1).max(4_096).optional(),
  /** Last round taken over from `initFrom`: -1 its SFT model alone; without it all its rounds. */
  fromRound: z.number().int().min(-1).max(ROUNDS_MAX).optional(),
  /** Values by dotted key, `{"sampling.samplesPerStatement": 8}`. */
  set: z.record(z.string().max(256), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});
export type StartInput = z.infer<typeof startInputSchema>;
