/**
 * The record of a question and its answer. Its name is a hash of the question, so an answered question is not asked
 * again.
 */

import { StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import { chatMessageSchema, type Judge, judgeProviderSchema, judgeSchema, type ObjectStore } from '@stp/config/records';
import { z } from 'zod';

/** Version of the questions' wording and of the reading of answers. Records of other versions are not found. */
const VERSION = '1';

const count = z.int().nonnegative();
const { model, temperature, maxTokens, answers } = judgeSchema.shape;

const questionSchema = z.strictObject({
  provider: judgeProviderSchema,
  model,
  temperature,
  maxTokens,
  answers,
  name: z.string(),
  messages: z.array(chatMessageSchema),
  seed: count,
});
export type AskedQuestion = z.infer<typeof questionSchema>;

/**
 * The work that asked the question, and the number of requests. Only that work counts their cost, even if another
 * process continues it; null: no later work counts it.
 */
const askedSchema = z.strictObject({ work: z.string().nullable(), requests: count });

const answerRecordSchema = z.strictObject({
  question: questionSchema,
  asked: askedSchema,
  answer: z.strictObject({
    text: z.string(),
    finish: z.enum(['stop', 'length', 'declined']),
    usage: z.strictObject({ promptTokens: count, answerTokens: count }).nullable(),
  }),
});

export type KeptAnswer = Pick<z.infer<typeof answerRecordSchema>, 'answer' | 'asked'>;

/** The judge's address and its rate limits are not part of the question. */
export function askedQuestion(
  judge: Judge,
  { name, messages, seed }: Pick<AskedQuestion, 'name' | 'messages' | 'seed'>,
): AskedQuestion {
  return {
    provider: judge.provider,
    model: judge.model,
    temperature: judge.temperature,
    maxTokens: judge.maxTokens,
    answers: judge.answers,
    name,
    messages,
    seed,
  };
}

export const recordKey = (question: AskedQuestion): string =>
  contentId('judge-answer', VERSION, JSON.stringify(question));

export class AnswerRecords {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Returns null if the question was never answered. */
  async find(key: string): Promise<KeptAnswer | null> {
    const ref = await this.#store.stat(nameOf(key));
    if (ref === null) return null;
    const parsed = answerRecordSchema.safeParse(JSON.parse((await this.#store.get(ref)).toString('utf8')));
    if (parsed.success) return parsed.data;
    throw new StpError(
      'STP1402',
      `${ref.uri} is no record of an answer`,
      'Remove it; the question is then asked again.',
      {
        facts: { uri: ref.uri },
      },
    );
  }

  /** Saves an answer and returns the one that counts: an answer that another process saved first wins. */
  async keep(key: string, question: AskedQuestion, kept: KeptAnswer): Promise<KeptAnswer> {
    try {
      await this.#store.put(nameOf(key), `${JSON.stringify({ question, ...kept })}\n`);
      return kept;
    } catch (error) {
      if (error instanceof StpError && error.code === 'STP1404') return (await this.find(key)) ?? kept;
      throw error;
    }
  }
}

const nameOf = (key: string): string => `judge/answers/${key.slice(0, 2)}/${key}.json`;
