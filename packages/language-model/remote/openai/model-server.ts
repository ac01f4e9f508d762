/** Typed requests to an OpenAI-compatible server: limited in number, and retried while that can help. */

import { Semaphore, StpError } from '@stp/base';
import { type Answer, HttpClient, type Outcome, type StreamEnd, withRetries } from '@stp/http';
import type { z } from 'zod';
import { answerTooLarge, connectionFailed, malformedAnswer, refused, timedOut } from './server-errors.ts';
import { errorSchema, isChoicesRefused, isContextExceeded, isExtraRefused, serverMessage } from './wire.ts';

/** How many characters of an unreadable answer messages show. */
const SHOWN_CHARS = 120;
const STREAM_DONE = '[DONE]';

export interface ModelServerOptions {
  /** Root of the API as OpenAI's clients take it, `http://host:8000/v1`. */
  readonly url: string;
  /** Environment variable with the key, if there is one. No option, payload or message contains the key. */
  readonly keyVariable?: string;
  /** Maximum concurrent requests; the server batches them. */
  readonly requestsInFlight: number;
  readonly requestTimeoutMs: number;
  /** Wait before the first retry of a failed request. */
  readonly firstRetryMs: number;
}

/** Asked before every try and told of the server's reaction: limits requests across processes. */
export interface Pace {
  /** Resolves when the try may be sent; rejects with the signal's reason. */
  admit(signal: AbortSignal): Promise<void>;
  /** Called when the server is overloaded: no tries for this time. */
  hold(milliseconds: number): void;
}

export interface Question<Schema extends z.ZodType> {
  /** Sent by POST; without a body the request is a GET. */
  readonly body?: unknown;
  readonly schema: Schema;
  readonly answerBytesMax: number;
  /** Time limit of one try, if it is less than the server's. */
  readonly timeoutMs?: number;
  /** Returns what is wrong with an answer of the right shape, or null. */
  readonly check?: (value: z.infer<Schema>) => string | null;
  /** Receives each answer with status 200 that cannot be used. */
  readonly onUnusable?: (body: string) => void;
  readonly pace?: Pace;
  readonly signal: AbortSignal;
}

export interface StreamQuestion<Schema extends z.ZodType, Result> {
  readonly body: object;
  /** Schema of one event. */
  readonly schema: Schema;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
  /** Makes the reader of one try's events, so that a failed try leaves no data behind. */
  readonly read: () => EventReader<z.infer<Schema>, Result>;
}

export interface EventReader<Event, Result> {
  /** Takes an event. Returns false if no more are needed. */
  take(event: Event): boolean;
  /** Returns the result, or a text that says what is wrong with the answer. */
  result(end: StreamEnd): { readonly value: Result } | string;
}

export class ModelServer {
  readonly #options: ModelServerOptions;
  readonly #client: HttpClient;
  readonly #turns = new Semaphore();

  constructor(options: ModelServerOptions) {
    this.#options = options;
    const key = options.keyVariable === undefined ? undefined : process.env[options.keyVariable];
    this.#client = new HttpClient(options.url, key || null, { answerTooLarge, connectionFailed, timedOut });
  }

  get url(): string {
    return this.#client.baseUrl;
  }

  /**
   * Returns the server's answer. A request keeps its slot while it waits for a retry, so an overloaded server gets
   * fewer requests. Throws STP1303: retryable if a later call may succeed, with the fact `contextExceeded` if the
   * prompt is too long.
   */
  ask<Schema extends z.ZodType>(path: string, question: Question<Schema>): Promise<z.infer<Schema>> {
    const { signal } = question;
    const { firstRetryMs, requestsInFlight } = this.#options;
    const timeoutMs = Math.min(question.timeoutMs ?? Infinity, this.#options.requestTimeoutMs);
    return this.#turns.run(requestsInFlight, () =>
      withRetries(() => this.#try(path, question, timeoutMs), {
        firstWaitMs: firstRetryMs,
        busyLimitMs: timeoutMs,
        signal,
      }),
    );
  }

  /**
   * As `ask`, for an answer by server-sent events. The time-out applies to silence, because a long answer may take any
   * time.
   */
  stream<Schema extends z.ZodType, Result>(path: string, question: StreamQuestion<Schema, Result>): Promise<Result> {
    const { firstRetryMs, requestsInFlight, requestTimeoutMs } = this.#options;
    return this.#turns.run(requestsInFlight, () =>
      withRetries(() => this.#tryStream(path, question), {
        firstWaitMs: firstRetryMs,
        busyLimitMs: requestTimeoutMs,
        signal: question.signal,
      }),
    );
  }

  close(): void {
    this.#client.close();
  }

  async #tryStream<Schema extends z.ZodType, Result>(
    path: string,
    { body, schema, answerBytesMax, signal, read }: StreamQuestion<Schema, Result>,
  ): Promise<Outcome<Result>> {
    const url = `${this.url}/${path}`;
    const reader = read();
    let problem: string | null = null;
    const onEvent = ({ data }: { readonly data: string }): boolean => {
      if (data === STREAM_DONE) return true;
      const json = parseJson(data);
      const parsed = schema.safeParse(json);
      if (parsed.success) return reader.take(parsed.data);
      problem = eventProblem(json, parsed.error, data);
      return false;
    };
    let answer: Answer & { readonly end: StreamEnd };
    try {
      const silenceMs = this.#options.requestTimeoutMs;
      answer = await this.#client.stream(path, { body, answerBytesMax, silenceMs, signal, onEvent });
    } catch (error) {
      return this.#again(error, signal);
    }
    if (answer.status !== 200) return this.#refused(url, answer);
    const result = problem ?? reader.result(answer.end);
    if (typeof result !== 'string') return { kind: 'done', value: result.value };
    return { kind: 'again', error: malformedAnswer(url, result), retryAfterMs: null, busy: false };
  }

  async #try<Schema extends z.ZodType>(
    path: string,
    question: Question<Schema>,
    timeoutMs: number,
  ): Promise<Outcome<z.infer<Schema>>> {
    const { body, schema, answerBytesMax, signal, pace } = question;
    await pace?.admit(signal);
    let answer: Answer;
    try {
      answer = await this.#client.exchange(path, { body, answerBytesMax, timeoutMs, signal });
    } catch (error) {
      return this.#again(error, signal);
    }
    const url = `${this.url}/${path}`;
    if (answer.status === 200) {
      const parsed = schema.safeParse(parseJson(answer.body));
      const unfit = parsed.success ? (question.check?.(parsed.data) ?? null) : issueOf(parsed.error);
      if (parsed.success && unfit === null) return { kind: 'done', value: parsed.data };
      question.onUnusable?.(answer.body);
      const problem = `${unfit} (${answer.body.slice(0, SHOWN_CHARS)})`;
      return { kind: 'again', error: malformedAnswer(url, problem), retryAfterMs: null, busy: false };
    }
    if (answer.status === 429 && answer.retryAfterMs !== null) pace?.hold(answer.retryAfterMs);
    return this.#refused(url, answer);
  }

  #again(error: unknown, signal: AbortSignal): Outcome<never> {
    if (!(error instanceof StpError && error.retryable) || signal.aborted) throw error;
    return { kind: 'again', error, retryAfterMs: null, busy: false };
  }

  #refused(url: string, { status, body, retryAfterMs }: Answer): Outcome<never> {
    const said = serverMessage(body);
    const facts = {
      contextExceeded: isContextExceeded(status, said),
      choicesRefused: isChoicesRefused(status, said),
      extraRefused: isExtraRefused(status, said),
    };
    const error = refused(url, status, said.message, facts);
    if (!error.retryable) throw error;
    return { kind: 'again', error, retryAfterMs, busy: status === 429 };
  }
}

/** Returns what is wrong with an event, if possible in the server's words: vLLM reports errors within streams too. */
function eventProblem(json: unknown, error: z.ZodError, data: string): string {
  const said = errorSchema.safeParse(json);
  if (said.success) return said.data.message;
  return `${issueOf(error)} (${data.slice(0, SHOWN_CHARS)})`;
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'answer'}: ${issue?.message}`;
}

/** Parses JSON. Returns undefined, which no schema accepts, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
