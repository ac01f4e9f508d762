/**
 * Asks the judges of a configuration: each question once, as long as its record is kept; under the limits that the processes of
 * this machine share; anew where an answer cannot be used. Counts what it took.
 */
import { StpError } from '../../data/errors.ts';
import type { Judge, JudgeFailure } from '../../data/schemas/judge.ts';
import { costOf } from '../../data/schemas/round.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { seedFrom } from '../../selfplay/random.ts';
import { isUnusable, type Question } from '../questions/question.ts';
import { AnswerRecords, askedQuestion, recordKey } from './answer-record.ts';
import type { ChatAnswer, ChatModel } from './chat-model.ts';
import { noAnswer } from './errors.ts';
import { jsonIn } from './json-in.ts';
import { openChat } from './open-chat.ts';
import type { RateLimits } from './rate-limits.ts';

/** Of a prompt, for the limit, until the server has counted. */
const CHARS_PER_TOKEN = 3;
/** Wrong keys, addresses and names of models: no other question would fare better. */
const HOPELESS = [401, 403, 404];
const DETAIL_CHARS_MAX = 2_048;

export interface AskerOptions {
  readonly judges: readonly Judge[];
  readonly askedAnew: number;
  readonly store: ObjectStore;
  readonly limits: RateLimits;
  /** Nobody is asked: a question without a record fails. */
  readonly replay?: boolean;
}

export interface Asked<Answer> {
  /** Null where no answer could be used. */
  readonly answer: Answer | null;
  /** Key of its record. */
  readonly record: string | null;
  readonly failures: readonly JudgeFailure[];
}

/** What asking took; an answer from a record takes nothing. */
export interface Spent {
  /** Tries included. */
  readonly requests: number;
  readonly answers: number;
  readonly fromRecords: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** Null where a judge that was asked has no price, or does not count its tokens. */
  readonly cost: number | null;
}

export class Asker {
  readonly #options: AskerOptions;
  readonly #records: AnswerRecords;
  readonly #models = new Map<number, ChatModel>();
  /** Questions under way, by key: equal ones are asked once. */
  readonly #asking = new Map<string, Promise<ChatAnswer>>();
  #spent: Spent = { requests: 0, answers: 0, fromRecords: 0, promptTokens: 0, answerTokens: 0, cost: 0 };

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#records = new AnswerRecords(options.store);
  }

  get judges(): readonly Judge[] {
    return this.#options.judges;
  }

  get spent(): Spent {
    return this.#spent;
  }

  nameOf(judge: number): string {
    const { provider, model } = this.judges[judge]!;
    return `${provider}/${model}`;
  }

  /**
   * Throws only what no other question would escape: STP1001 and STP1901 for a wrong key, address or model, the store's errors, the
   * signal's reason. What goes wrong with one question is a failure of it.
   * @param stream names the seed: the vote, for one
   */
  async ask<Answer extends object>(
    judge: number,
    question: Question<Answer>,
    stream: readonly (string | number)[],
    signal: AbortSignal,
  ): Promise<Asked<Answer>> {
    const failures: JudgeFailure[] = [];
    for (let turn = 0; turn <= this.#options.askedAnew; turn++) {
      const { name, messages } = question;
      const seed = seedFrom('judge', ...stream, turn);
      const asked = askedQuestion(this.judges[judge]!, { name, messages: [...messages], seed });
      const key = recordKey(asked);
      let given: ChatAnswer;
      try {
        given = await this.#answer(judge, key, asked, question, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        failures.push(failureOf(error));
        // All tries were made already.
        break;
      }
      const read = readAnswer(question, given);
      if (!isUnusable(read)) return { answer: read, record: key, failures };
      failures.push({ ...read, detail: read.detail.slice(0, DETAIL_CHARS_MAX), raw: given.text });
    }
    return { answer: null, record: null, failures };
  }

  close(): void {
    for (const model of this.#models.values()) model.close();
  }

  async #answer(
    judge: number,
    key: string,
    asked: ReturnType<typeof askedQuestion>,
    question: Question<object>,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const under = this.#asking.get(key);
    if (under !== undefined) return under;
    const asking = this.#recordedOrAsked(judge, key, asked, question, signal);
    this.#asking.set(key, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(key);
    }
  }

  async #recordedOrAsked(
    judge: number,
    key: string,
    asked: ReturnType<typeof askedQuestion>,
    { schema }: Question<object>,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const found = await this.#records.find(key);
    if (found !== null) {
      this.#spent = { ...this.#spent, fromRecords: this.#spent.fromRecords + 1 };
      return found;
    }
    const { limits, replay = false } = this.#options;
    if (replay)
      throw noAnswer(this.nameOf(judge), 'no answer is kept, and nobody is to be asked', { retryable: false });
    const model = this.#model(judge);
    const { maxTokens, limits: limit } = this.judges[judge]!;
    const chars = asked.messages.reduce((sum, { content }) => sum + content.length, 0);
    const estimated = Math.ceil(chars / CHARS_PER_TOKEN) + maxTokens;
    let sent: number | null = null;
    const pace = {
      admit: async (wanted: AbortSignal) => {
        sent = await limits.admit(model.account, estimated, limit, wanted);
        this.#spent = { ...this.#spent, requests: this.#spent.requests + 1 };
      },
      hold: (milliseconds: number) => limits.hold(model.account, milliseconds),
    };
    const { name, messages, seed } = asked;
    const answer = await model.ask({ messages, schema, name, seed, pace, signal });
    if (sent !== null && answer.usage !== null)
      limits.correct(sent, answer.usage.promptTokens + answer.usage.answerTokens);
    this.#count(judge, answer);
    return this.#records.keep(key, asked, answer);
  }

  #model(judge: number): ChatModel {
    const open = this.#models.get(judge);
    if (open !== undefined) return open;
    const model = openChat(this.nameOf(judge), this.judges[judge]!);
    this.#models.set(judge, model);
    return model;
  }

  #count(judge: number, { usage }: ChatAnswer): void {
    const { answers, promptTokens, answerTokens, cost, ...rest } = this.#spent;
    const { cost: added } =
      usage === null
        ? {}
        : costOf({ tokens: usage.answerTokens, promptTokens: usage.promptTokens }, this.judges[judge]!.price);
    this.#spent = {
      ...rest,
      answers: answers + 1,
      promptTokens: promptTokens + (usage?.promptTokens ?? 0),
      answerTokens: answerTokens + (usage?.answerTokens ?? 0),
      cost: cost === null || added === undefined ? null : cost + added,
    };
  }
}

function readAnswer<Answer extends object>(question: Question<Answer>, { text, finish }: ChatAnswer) {
  if (finish === 'length') return { kind: 'cut-off', detail: 'the answer ended at its token limit' } as const;
  if (finish === 'declined') return { kind: 'declined', detail: 'the model would not answer' } as const;
  const json = jsonIn(text);
  return json === undefined
    ? ({ kind: 'malformed', detail: 'there is no JSON object in the answer' } as const)
    : question.read(json);
}

/** Throws what concerns every question. */
function failureOf(error: unknown): JudgeFailure {
  if (!(error instanceof StpError) || error.code !== 'STP1901') throw error;
  if (HOPELESS.includes(error.facts.status as number)) throw error;
  const raw = error.facts.raw;
  return {
    kind: 'provider',
    detail: error.message.slice(0, DETAIL_CHARS_MAX),
    raw: typeof raw === 'string' ? raw : null,
  };
}
