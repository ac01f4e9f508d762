/**
 * Settings for judging proofs in natural language (`judge` of the configuration, `--config` of `bin/stp judge`): the
 * judges, the scale, and the conversion of judgements to rewards.
 */
import { z } from 'zod';

const positive = z.int().positive();

/**
 * `server`: the user's own OpenAI-compatible server. The others are services with known addresses and key variables.
 */
export const judgeProviderSchema = z.enum(['server', 'openai', 'openrouter', 'together', 'huggingface', 'anthropic']);
export type JudgeProvider = z.infer<typeof judgeProviderSchema>;

/** Name of the environment variable with the API key. Configurations, records and messages never contain the key. */
const keyVariable = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'the name of an environment variable');

const limitsSchema = z.strictObject({
  /**
   * Requests in any minute, failed tries included; null: no limit. All processes of a machine with this address and
   * key share it.
   */
  requestsPerMinute: positive.max(1_000_000).nullable().default(600),
  /** Tokens of prompts and answers in any minute, estimated before an answer and corrected by it; null: no limit. */
  tokensPerMinute: positive.max(1_000_000_000).nullable().default(null),
  /**
   * Concurrent requests of one process. To reach the rate limit, this must be at least requests per second × seconds
   * per answer.
   */
  requestsInFlight: positive.max(4_096).default(256),
});

export const judgeSchema = z
  .strictObject({
    provider: judgeProviderSchema.default('server'),
    /** Root of the API, `http://host:8000/v1`; null: the service's address. */
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null),
    model: z.string().min(1).max(256),
    /** Null: the service's usual variable; a `server` then gets no key. */
    keyVariable: keyVariable.nullable().default(null),
    /** Number of times this judge judges each proof. */
    votes: positive.max(64).default(1),
    /** Null: not sent, because some models accept only their default. */
    temperature: z.number().min(0).max(2).nullable().default(0.7),
    /** Maximum tokens of an answer, its thinking included. */
    maxTokens: positive.max(1 << 20).default(16_384),
    /** How the form of the answer is enforced: by a JSON schema, by JSON mode, or by the words of the question. */
    answers: z.enum(['schema', 'json', 'words']).default('schema'),
    limits: limitsSchema.prefault({}),
    /** Time limit of one try. */
    timeoutSeconds: positive.max(7_200).default(600),
    /** Price of a million tokens, in any currency. */
    price: z
      .strictObject({ prompt: z.number().nonnegative(), answer: z.number().nonnegative() })
      .nullable()
      .default(null),
  })
  .refine(({ provider, url }) => provider !== 'server' || url !== null, {
    path: ['url'],
    message: 'a server of your own needs its address',
  });
export type Judge = z.infer<typeof judgeSchema>;

/** `0-7`: whole marks from 0 to 7. `0/0.5/1`: DeepSeekMath-V2's. */
export const scaleSchema = z.union([z.literal('0/0.5/1'), z.string().regex(/^0-[1-9]\d{0,2}$/, 'such as 0-7')]);
export type ScaleName = z.infer<typeof scaleSchema>;

/**
 * How judgements become rewards (LLMProofs' names). The first three rank the proofs of a problem; the last marks each
 * proof.
 */
export const rewardModeSchema = z.enum(['group_points', 'harmonic_rank', 'squared', 'judge_score']);
export type RewardMode = z.infer<typeof rewardModeSchema>;

export const judgingSchema = z.strictObject({
  judges: z.array(judgeSchema).min(1).max(16),
  /** The scale of problems that bring none of their own. */
  scale: scaleSchema.default('0-7'),
  /** How votes become one mark: the minimum, or the mean without the `trimmedShare` of them at either end. */
  combine: z.enum(['trimmed-mean', 'minimum']).default('minimum'),
  trimmedShare: z.number().min(0).max(0.49).default(0.2),
  /**
   * Number of judges, after the voter, that check its claimed errors. If they reject all errors, the vote is dropped.
   * 0: no checks.
   */
  metaChecks: z.int().nonnegative().max(16).default(0),
  /** Number of repetitions of a question whose answer cannot be used. */
  askedAnew: z.int().nonnegative().max(8).default(1),
  reward: rewardModeSchema.default('judge_score'),
  /** If more than this share of a shard's samples got no answer after all tries, the shard is tried again. */
  unansweredShareMax: z.number().min(0).max(1).default(0.02),
  ranking: z
    .strictObject({
      /** Each round shuffles the proofs of a problem. */
      rounds: positive.max(64).default(5),
      /** Proofs compared in one question; with at least 3, no proof is left over alone. */
      together: positive.min(3).max(16).default(3),
      /** Points of the first and of the last rank; the ranks between are interpolated. */
      points: z.strictObject({ first: z.number(), last: z.number() }).default({ first: 1, last: 0.2 }),
    })
    .prefault({}),
});
export type Judging = z.infer<typeof judgingSchema>;

/** Requests, tokens and cost of judging. A cached answer counts once, where it was requested. */
export const judgeSpentSchema = z.strictObject({
  /** Retries included. */
  requests: z.int().nonnegative(),
  answers: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  answerTokens: z.int().nonnegative(),
  /** Null if a judge has no price or does not count its tokens. */
  cost: z.number().nonnegative().nullable(),
});
export type JudgeSpent = z.infer<typeof judgeSpentSchema>;

export const NOTHING_SPENT: JudgeSpent = { requests: 0, answers: 0, promptTokens: 0, answerTokens: 0, cost: 0 };

export function sumSpent(parts: readonly JudgeSpent[]): JudgeSpent {
  return parts.reduce(
    (sum, { requests, answers, promptTokens, answerTokens, cost }) => ({
      requests: sum.requests + requests,
      answers: sum.answers + answers,
      promptTokens: sum.promptTokens + promptTokens,
      answerTokens: sum.answerTokens + answerTokens,
      cost: sum.cost === null || cost === null ? null : sum.cost + cost,
    }),
    NOTHING_SPENT,
  );
}

export const PROBLEM_CHARS_MAX = 65_536;
export const CANDIDATE_CHARS_MAX = 1 << 20;

/** The scale, rubric and reference solution by which a judge gives marks. */
export const gradingSchema = z.strictObject({
  scale: scaleSchema.optional(),
  /** Words, IMO-ProofBench's guidelines, or criteria with points as JSON (`packages/judge/rubric.ts`). */
  rubric: z.string().max(PROBLEM_CHARS_MAX).optional(),
  /** A correct solution. */
  reference: z.string().max(PROBLEM_CHARS_MAX).optional(),
});
export type Grading = z.infer<typeof gradingSchema>;

/** Reason why there is no mark or rank. The raw answer is kept beside it. */
export const judgeFailureKindSchema = z.enum([
  /** The rubric cannot be read, so no judge was asked. */
  'rubric',
  /** The answer ended at its token limit. */
  'cut-off',
  /** The answer does not have the requested form. */
  'malformed',
  'off-scale',
  /** The answer quotes words that are not in the proof. */
  'not-quoted',
  /** A ranking names a label twice, omits one, or names an unknown one. */
  'label-twice',
  'label-missing',
  'label-unknown',
  /** The model refused to answer. */
  'declined',
  /** The server gave no answer after all tries. The question is asked again the next time. */
  'provider',
  /** No vote is left: too many failed, or the claimed errors did not stand. */
  'no-quorum',
]);
export type JudgeFailureKind = z.infer<typeof judgeFailureKindSchema>;

export const judgeFailureSchema = z.strictObject({
  kind: judgeFailureKindSchema,
  detail: z.string().max(2_048),
  /** The raw answer; null if there was none. */
  raw: z.string().nullable(),
});
export type JudgeFailure = z.infer<typeof judgeFailureSchema>;

export const markSchema = z.strictObject({
  raw: z.number(),
  scale: scaleSchema,
  /** `raw` as a share of the scale's maximum. */
  normalised: z.number().min(0).max(1),
});
export type Mark = z.infer<typeof markSchema>;

export const evidenceSchema = z.strictObject({
  kind: z.enum(['step', 'error']),
  /** The words of the proof that the claim is about, equal up to white space. */
  quote: z.string(),
  says: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const voteSchema = z.strictObject({
  judge: z.string(),
  vote: z.int().nonnegative(),
  /** Key of the record of the counted answer (`packages/judge/ask/answer-record.ts`); null if no answer counts. */
  record: z.string().nullable(),
  mark: markSchema.nullable(),
  evidence: z.array(evidenceSchema),
  criteria: z.array(z.strictObject({ name: z.string(), points: z.number() })),
  /** Claimed errors that the meta-check confirmed; null: not checked. */
  errorsStanding: z.int().nonnegative().nullable(),
  /** Every unusable answer, in order. */
  failures: z.array(judgeFailureSchema),
});
export type Vote = z.infer<typeof voteSchema>;

/** The record of judging one proof. */
export const judgementSchema = z.strictObject({
  /** The proof's id. */
  id: z.string(),
  problem: z.string(),
  /** Problem set. */
  set: z.string(),
  /** `empty`: there is no proof to judge, so it gets the lowest mark and no judge is asked. */
  outcome: z.enum(['marked', 'empty', 'unjudged']),
  mark: markSchema.nullable(),
  votes: z.array(voteSchema),
  /** Why the outcome is `unjudged`. */
  failure: judgeFailureSchema.nullable(),
  /** Whether all requested votes are present and full. */
  allFull: z.boolean(),
});
export type Judgement = z.infer<typeof judgementSchema>;
