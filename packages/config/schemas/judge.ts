/**
 * How proofs in natural language are judged (`judge` of the configuration, `--config` of `bin/stp judge`): who judges, on which
 * scale, and how judgements become rewards.
 */
import { z } from 'zod';

const positive = z.int().positive();

/** `server`: an OpenAI-compatible server of one's own. The others are services, whose addresses and keys are known. */
export const judgeProviderSchema = z.enum(['server', 'openai', 'openrouter', 'together', 'huggingface', 'anthropic']);
export type JudgeProvider = z.infer<typeof judgeProviderSchema>;

/** Environment variables that hold keys; the keys themselves are in no configuration, record or message. */
const keyVariable = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'the name of an environment variable');

const limitsSchema = z.strictObject({
  /** Requests in any minute, tries that fail included; null: no limit. All processes of this machine share it, by address and key. */
  requestsPerMinute: positive.max(1_000_000).nullable().default(600),
  /** Tokens of prompts and answers in any minute, estimated before an answer and corrected by it. */
  tokensPerMinute: positive.max(1_000_000_000).nullable().default(null),
  /** At once, of this process: to use up a limit it takes the limit's share of the seconds that an answer takes. */
  requestsInFlight: positive.max(4_096).default(256),
});

export const judgeSchema = z
  .strictObject({
    provider: judgeProviderSchema.default('server'),
    /** Root of the API, `http://host:8000/v1`; null: the service's own. */
    url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null),
    model: z.string().min(1).max(256),
    /** Null: the service's usual one; a server of one's own then gets no key. */
    keyVariable: keyVariable.nullable().default(null),
    /** Times that each proof is judged by it. */
    votes: positive.max(64).default(1),
    /** Null is not sent: some models take no other than their own. */
    temperature: z.number().min(0).max(2).nullable().default(0.7),
    /** Tokens of an answer at most, its thinking included. */
    maxTokens: positive.max(1 << 20).default(16_384),
    /** How the server is held to the form of the answer: by a JSON schema, by JSON alone, or by the words of the question. */
    answers: z.enum(['schema', 'json', 'words']).default('schema'),
    limits: limitsSchema.prefault({}),
    /** Time for one try at an answer. */
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

/** Ways from judgements to rewards (LLMProofs' names). The first three rank the proofs of a problem, the last marks each. */
export const rewardModeSchema = z.enum(['group_points', 'harmonic_rank', 'squared', 'judge_score']);
export type RewardMode = z.infer<typeof rewardModeSchema>;

export const judgingSchema = z.strictObject({
  judges: z.array(judgeSchema).min(1).max(16),
  /** The scale of problems that bring none. */
  scale: scaleSchema.default('0-7'),
  /** One mark of several votes: the least, or the mean without the `trimmedShare` of them at either end. */
  combine: z.enum(['trimmed-mean', 'minimum']).default('minimum'),
  trimmedShare: z.number().min(0).max(0.49).default(0.2),
  /** Checks of the errors that a vote claims, each by the next judge; a vote none of whose errors stands is set aside. 0: none. */
  metaChecks: z.int().nonnegative().max(16).default(0),
  /** Times that a question is asked anew where its answer cannot be used. */
  askedAnew: z.int().nonnegative().max(8).default(1),
  reward: rewardModeSchema.default('judge_score'),
  /** More samples of a shard for which no server gave an answer, after all tries, and the shard is tried again. */
  unansweredShareMax: z.number().min(0).max(1).default(0.02),
  ranking: z
    .strictObject({
      /** Each shuffles the proofs of a problem anew. */
      rounds: positive.max(64).default(5),
      /** Proofs that are compared at once; with 3 and more none is left over alone. */
      together: positive.min(3).max(16).default(3),
      /** Points of the first and of the last place; places between have their share. */
      points: z.strictObject({ first: z.number(), last: z.number() }).default({ first: 1, last: 0.2 }),
    })
    .prefault({}),
});
export type Judging = z.infer<typeof judgingSchema>;

/** Requests, tokens and cost of asking judges. A kept answer counts once, where it was asked for. */
export const judgeSpentSchema = z.strictObject({
  /** Tries included. */
  requests: z.int().nonnegative(),
  answers: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  answerTokens: z.int().nonnegative(),
  /** Null where a judge that was asked has no price, or does not count its tokens. */
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
  /** A right solution. */
  reference: z.string().max(PROBLEM_CHARS_MAX).optional(),
});
export type Grading = z.infer<typeof gradingSchema>;

/** Why there is no mark or place; the raw answer stands beside it. */
export const judgeFailureKindSchema = z.enum([
  /** The rubric cannot be read, so nothing was asked. */
  'rubric',
  /** The answer ended at its token limit. */
  'cut-off',
  /** It is not of the form that was asked for. */
  'malformed',
  'off-scale',
  /** It quotes what is not in the proof. */
  'not-quoted',
  /** A ranking names a label twice, leaves one out, or names one that there is not. */
  'label-twice',
  'label-missing',
  'label-unknown',
  /** The model would not answer. */
  'declined',
  /** The server gave no answer, after all tries. It is asked again the next time. */
  'provider',
  /** No vote is left: too many failed, or the claimed errors did not stand. */
  'no-quorum',
]);
export type JudgeFailureKind = z.infer<typeof judgeFailureKindSchema>;

export const judgeFailureSchema = z.strictObject({
  kind: judgeFailureKindSchema,
  detail: z.string().max(2_048),
  /** The answer as it came; null where none did. */
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
  /** The words of the proof that the claim is about, equal to the proof's up to white space. */
  quote: z.string(),
  says: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const voteSchema = z.strictObject({
  judge: z.string(),
  vote: z.int().nonnegative(),
  /** Key of the record of the answer that counts (`packages/judge/ask/answer-record.ts`); null: there is none. */
  record: z.string().nullable(),
  mark: markSchema.nullable(),
  evidence: z.array(evidenceSchema),
  criteria: z.array(z.strictObject({ name: z.string(), points: z.number() })),
  /** Claimed errors that the meta-check let stand; null: not checked. */
  errorsStanding: z.int().nonnegative().nullable(),
  /** Each answer that could not be used, in order. */
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
  /** `empty`: there is no proof to judge; it has the least mark, and nobody was asked. */
  outcome: z.enum(['marked', 'empty', 'unjudged']),
  mark: markSchema.nullable(),
  votes: z.array(voteSchema),
  /** Why it is unjudged. */
  failure: judgeFailureSchema.nullable(),
  /** All votes that were asked for are there and full. */
  allFull: z.boolean(),
});
export type Judgement = z.infer<typeof judgementSchema>;
