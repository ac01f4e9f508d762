/** Records of a round: the results of its shards, its counts, and the manifest that names its files. */
import { z } from 'zod';
import { artifactRefSchema, checkpointRefSchema } from './artifact.ts';
import { sandboxFactsSchema } from './certificate.ts';
import { judgeSpentSchema } from './judge.ts';
import { gateVerdictSchema, verdictKindSchema } from './records.ts';
import { shardSearchSchema } from './search.ts';

const count = z.number().int().nonnegative();
export const verdictCountsSchema = z.partialRecord(verdictKindSchema, count);
export type VerdictCounts = z.infer<typeof verdictCountsSchema>;

/** Adds up the verdicts of several shards or rounds. */
export function sumVerdicts(parts: readonly VerdictCounts[]): VerdictCounts {
  const total: VerdictCounts = {};
  for (const part of parts)
    for (const [kind, added] of Object.entries(part) as [keyof VerdictCounts, number][])
      total[kind] = (total[kind] ?? 0) + added;
  return total;
}
/** Adds up the tokens of several shards. Prompt tokens are left out unless all shards count them. */
export function sumTokens(shards: readonly { readonly tokens: number; readonly promptTokens?: number | undefined }[]): {
  readonly tokens: number;
  readonly promptTokens?: number;
} {
  const tokens = shards.reduce((sum, shard) => sum + shard.tokens, 0);
  const counted = shards.flatMap(({ promptTokens }) => (promptTokens === undefined ? [] : [promptTokens]));
  if (counted.length < shards.length) return { tokens };
  return { tokens, promptTokens: counted.reduce((sum, one) => sum + one, 0) };
}

/** Computes the cost of tokens by `sampling.price`; empty if there is no price. */
export function costOf(
  { tokens, promptTokens = 0 }: { readonly tokens: number; readonly promptTokens?: number | undefined },
  price: { readonly prompt: number; readonly answer: number } | null | undefined,
): { readonly cost?: number } {
  return price ? { cost: (tokens * price.answer + promptTokens * price.prompt) / 1e6 } : {};
}

export const gateCountsSchema = z.partialRecord(gateVerdictSchema, count);
export type GateCounts = z.infer<typeof gateCountsSchema>;

/** One statement's result in one round. */
export const rateSchema = z.strictObject({
  statementId: z.string(),
  origin: z.enum(['dataset', 'conjecture']),
  /** Samples with a verdict, by multiplicity; `infra` is not counted. */
  attempts: count,
  successes: count,
});
export type Rate = z.infer<typeof rateSchema>;

/** Returns the folder, within its stage's, of a shard or of a part of the gate's work. */
export const partFolder = (stage: string, kind: 'shard' | 'gate', index: number): string =>
  `${stage}/${kind}-${String(index).padStart(4, '0')}`;
export const shardFolder = (stage: string, index: number): string => partFolder(stage, 'shard', index);

const figuresSchema = z.record(z.string().max(64), z.number());

/** References of one sampled and verified shard. */
export const shardResultSchema = z.strictObject({
  items: artifactRefSchema,
  samples: artifactRefSchema,
  verdicts: artifactRefSchema,
  /** The weakest sandbox among those of these verdicts; missing if judges gave them. */
  sandbox: sandboxFactsSchema.optional(),
  sampleCount: count,
  distinctCount: count,
  tokens: count,
  /** Tokens of the prompts of all samples, if the engine counts them. */
  promptTokens: count.optional(),
  /** Verdicts by kind, by multiplicity; samples without a verdict are left out. */
  verdictCounts: verdictCountsSchema,
  /** Statements of the shard with at least one proof. */
  provedStatements: count,
  /** Lean's processor time for the distinct samples of the shard, ms. */
  checkMs: z.number().nonnegative(),
  /** Results of the shard's searches, if `prover.mode` searches. */
  search: shardSearchSchema.optional(),
  /** With `prover.mode` `walks`: one record for each sample. */
  walks: artifactRefSchema.optional(),
  /** With `prover.actions`: what scripts tried on the shard's statements, one record for each statement. */
  tries: artifactRefSchema.optional(),
  /** Figures of the shard's provers, by name. Their report sections add them up. */
  figures: figuresSchema.optional(),
});
export type ShardResult = z.infer<typeof shardResultSchema>;

/** Training examples of a round's conjecture ranker, and how many of them paid. Without both kinds it ranks nothing. */
export const rankerFiguresSchema = z.strictObject({ examples: count, paying: count });
export type RankerFigures = z.infer<typeof rankerFiguresSchema>;

export const roundCountsSchema = z.strictObject({
  attempted: count,
  samples: count,
  distinctSamples: count,
  tokens: count,
  /** Tokens of the prompts, if the engine counts them. */
  promptTokens: count.optional(),
  /** Lean CPU time for the distinct samples, seconds (`checkMs` of the shards). */
  leanSeconds: z.number().nonnegative(),
  conjecturesMade: count,
  /** Conjectures that passed the gate and were attempted. */
  conjecturesAttempted: count,
  conjecturesProved: count,
  /** Conjectures that may train the conjecturer: in the band, elegant, with the lemma used. */
  conjecturesKept: count,
  /** Kept conjectures that are near some unproved statement (weight above 0); without transport, all kept ones. */
  conjecturesMatched: count,
  gate: gateCountsSchema,
  ranker: rankerFiguresSchema.optional(),
  verdicts: verdictCountsSchema,
  /** Dataset statements proved in this round, and in all rounds up to this one. */
  provedThisRound: count,
  provedEver: count,
  /** Dataset statements and conjectures of this round that scripts alone proved. */
  provedByScripts: z.strictObject({ statements: count, conjectures: count }).optional(),
  certified: count,
  /** Proofs that Lean's kernel accepts and the second kernel refuses. */
  kernelsDisagreed: count,
  proverExamples: count,
  conjecturerExamples: count,
  /** Cost of the judges of its samples; each answer counts once in the run. */
  judged: judgeSpentSchema.optional(),
  /**
   * In rounds that train by reward: statements whose samples were compared, statements whose rewards differed,
   * samples without reward.
   */
  groups: z.strictObject({ compared: count, withSignal: count, samplesWithoutReward: count }).optional(),
});
export type RoundCounts = z.infer<typeof roundCountsSchema>;

/** Returns the price of a round's samples and judges. Anything without a price counts as 0. */
export const costOfTokens = (counts: RoundCounts, price: Parameters<typeof costOf>[1]): number =>
  (costOf(counts, price).cost ?? 0) + (counts.judged?.cost ?? 0);

/** Counts of a round that did nothing. */
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
  /** Grown theorems that this round's proofs of statements could use (`library: grow`); null: none. */
  library: artifactRefSchema.nullable(),
  conjectures: artifactRefSchema.nullable(),
  conjecturerExamples: artifactRefSchema.nullable(),
  examples: artifactRefSchema.nullable(),
  shards: z.array(shardResultSchema),
  /** In rounds that train by reward: one reward for each sample, in the order of the shards. */
  rewards: artifactRefSchema.optional(),
  counts: roundCountsSchema,
});
export type RoundManifest = z.infer<typeof roundManifestSchema>;

/** The part of a round that the parent workflow keeps. It is small because every continue-as-new carries it. */
export const roundOutcomeSchema = z.strictObject({
  round: count,
  manifest: artifactRefSchema,
  checkpoint: checkpointRefSchema,
  counts: roundCountsSchema,
  secondsPerStage: z.record(z.string(), z.number()),
});
export type RoundOutcome = z.infer<typeof roundOutcomeSchema>;
