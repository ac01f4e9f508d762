/**
 * Asks the judges of a configuration. Each question is asked once while its record exists, under limits that the
 * processes of this machine share, and again if its answer is unusable. Counts the cost.
 */
import { StpError } from '@stp/base';
import {
  costOf,
  type Judge,
  type JudgeFailure,
  type JudgeSpent,
  NOTHING_SPENT,
  type ObjectStore,
  sumSpent,
} from '@stp/config/records';
import { seedFrom } from '@stp/selfplay';
import { isUnusable, type Question } from '../questions/question.ts';
import { AnswerRecords, askedQuestion, type KeptAnswer, recordKey } from './answer-record.ts';
import type { ChatAnswer, ChatModel } from './chat-model.ts';
import { noAnswer } from './errors.ts';
import { jsonIn } from './json-in.ts';
import { openChat } from './open-chat.ts';
import type { RateLimits } from './rate-limits.ts';

/** Assumed characters of a prompt in one token, for the limit, until the server has counted. */
const CHARS_PER_TOKEN = 3;
/** Statuses for wrong keys, addresses and model names: every other question would fail too. */
const HOPELESS = [401, 403, 404];
const DETAIL_CHARS_MAX = 2_048;

export interface AskerOptions {
  readonly judges: readonly Judge[];
  readonly askedAnew: number;
  readonly store: ObjectStore;
  readonly limits: RateLimits;
  /** Whether no judge is asked: a question without a record fails. */
  readonly replay?: boolean;
}

export interface JudgeAnswer<Answer> {
  /** Null if no answer was usable. */
  readonly answer: Answer | null;
  /** Key of its record. */
  readonly record: string | null;
  readonly failures: readonly JudgeFailure[];
}

/** State that askers of one process share. */
interface Shared {
  readonly records: AnswerRecords;
  readonly models: Map<number, ChatModel>;
  /** Questions in progress, by key: equal ones are asked once. */
  readonly asking: Map<string, Promise<ChatAnswer>>;
}

export class Asker {
  readonly #options: AskerOptions;
  readonly #shared: Shared;
  readonly #work: string | null;
  /** Keys of the answers counted in `spent`. */
  readonly #counted = new Set<string>();
  #spent: JudgeSpent = NOTHING_SPENT;
  #fromRecords = 0;

  constructor(options: AskerOptions, work: string | null = null, shared: Shared | null = null) {
    this.#options = options;
    this.#work = work;
    this.#shared = shared ?? { records: new AnswerRecords(options.store), models: new Map(), asking: new Map() };
  }

  /** Returns the same judges for one piece of work, which counts its own cost. A retried piece has the same name. */
  for(work: string): Asker {
    return new Asker(this.#options, work, this.#shared);
  }

  get judges(): readonly Judge[] {
    return this.#options.judges;
  }

  /** The cost of this asker's work, including recorded answers to earlier attempts of it. */
  get spent(): JudgeSpent {
    return this.#spent;
  }

  /** Number of answers from existing records. */
  get fromRecords(): number {
    return this.#fromRecords;
  }

  nameOf(judge: number): string {
    const { provider, model } = this.judges[judge]!;
    return `${provider}/${model}`;
  }

  /**
   * Asks one question. A failure that concerns only this question is returned. Throws STP1001 and STP1901 for a wrong
   * key, address or model, the store's errors, and the signal's reason.
   *
   * @param stream names the seed, for instance by the vote
   */
  async ask<Answer extends object>(
    judge: number,
    question: Question<Answer>,
    stream: readonly (string | number)[],
    signal: AbortSignal,
  ): Promise<JudgeAnswer<Answer>> {
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
        // All attempts were made already.
        break;
      }
      const read = readAnswer(question, given);
      if (!isUnusable(read)) return { answer: read, record: key, failures };
      failures.push({ ...read, detail: read.detail.slice(0, DETAIL_CHARS_MAX), raw: given.text });
    }
    return { answer: null, record: null, failures };
  }

  close(): void {
    for (const model of this.#shared.models.values()) model.close();
  }

  async #answer(
    judge: number,
    key: string,
    asked: ReturnType<typeof askedQuestion>,
    question: Question<object>,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const under = this.#shared.asking.get(key);
    if (under !== undefined) return under;
    const asking = this.#recordedOrAsked(judge, key, asked, question, signal);
    this.#shared.asking.set(key, asking);
    try {
      return await asking;
    } finally {
      this.#shared.asking.delete(key);
    }
  }

  async #recordedOrAsked(
    judge: number,
    key: string,
    asked: ReturnType<typeof askedQuestion>,
    { schema }: Question<object>,
    signal: AbortSignal,
  ): Promise<ChatAnswer> {
    const found = await this.#shared.records.find(key);
    if (found !== null) {
      this.#fromRecords += 1;
      if (this.#work !== null && found.asked.work === this.#work) this.#count(judge, key, found);
      return found.answer;
    }
    const { limits, replay = false } = this.#options;
    if (replay)
      throw noAnswer(this.nameOf(judge), 'no answer is kept, and nobody is to be asked', { retryable: false });
    const model = this.#model(judge);
    const { maxTokens, limits: limit } = this.judges[judge]!;
    const chars = asked.messages.reduce((sum, { content }) => sum + content.length, 0);
    const estimated = Math.ceil(chars / CHARS_PER_TOKEN) + maxTokens;
    let sent: number | null = null;
    let requests = 0;
    const pace = {
      admit: async (wanted: AbortSignal) => {
        sent = await limits.admit(model.account, estimated, limit, wanted);
        requests += 1;
      },
      hold: (milliseconds: number) => limits.hold(model.account, milliseconds),
    };
    const { name, messages, seed } = asked;
    let answer: ChatAnswer;
    try {
      answer = await model.ask({ messages, schema, name, seed, pace, signal });
    } catch (error) {
      this.#spent = { ...this.#spent, requests: this.#spent.requests + requests };
      throw error;
    }
    if (sent !== null && answer.usage !== null)
      limits.correct(sent, answer.usage.promptTokens + answer.usage.answerTokens);
    const own = { asked: { work: this.#work, requests }, answer };
    this.#count(judge, key, own);
    return (await this.#shared.records.keep(key, asked, own)).answer;
  }

  #model(judge: number): ChatModel {
    const open = this.#shared.models.get(judge);
    if (open !== undefined) return open;
    const model = openChat(this.nameOf(judge), this.judges[judge]!);
    this.#shared.models.set(judge, model);
    return model;
  }

  #count(judge: number, key: string, { asked, answer: { usage } }: KeptAnswer): void {
    if (this.#counted.has(key)) return;
    this.#counted.add(key);
    const { promptTokens = 0, answerTokens = 0 } = usage ?? {};
    const { price } = this.judges[judge]!;
    const { cost = null } = usage === null ? {} : costOf({ tokens: answerTokens, promptTokens }, price);
    this.#spent = sumSpent([this.#spent, { requests: asked.requests, answers: 1, promptTokens, answerTokens, cost }]);
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

/** Throws failures that concern every question. */
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
