/** Typed requests to an OpenAI-compatible server and its answers: limited in number, repeated while that can help. */

import { Semaphore, StpError } from '@stp/base';
import { type Answer, HttpClient, type Outcome, type StreamEnd, withRetries } from '@stp/http';
import type { z } from 'zod';
import { answerTooLarge, connectionFailed, malformedAnswer, refused, timedOut } from './server-errors.ts';
import { errorSchema, isChoicesRefused, isContextExceeded, isExtraRefused, serverMessage } from './wire.ts';

/** Characters of an unreadable answer that are shown. */
const SHOWN_CHARS = 120;
const STREAM_DONE = '[DONE]';

export interface ModelServerOptions {
  /** Root of the API as OpenAI's clients take it, `http://host:8000/v1`. */
  readonly url: string;
  /** Environment variable that holds the key, if there is one. The key itself is in no option, payload or message. */
  readonly keyVariable?: string;
  /** Requests in flight at once; the server batches them. */
  readonly requestsInFlight: number;
  readonly requestTimeoutMs: number;
  /** Wait before the second try of a request that failed. */
  readonly firstRetryMs: number;
}

/** Asked before every try of a question, and told how the server took it: limits requests beyond this process. */
export interface Pace {
  /** Resolves when the try may be sent; rejects with the signal's reason. */
  admit(signal: AbortSignal): Promise<void>;
  /** The server is full, and wants to be left alone for so long. */
  hold(milliseconds: number): void;
}

export interface Question<Schema extends z.ZodType> {
  /** Sent by POST; a GET without it. */
  readonly body?: unknown;
  readonly schema: Schema;
  readonly answerBytesMax: number;
  /** Time for one try, if it is less than the server's. */
  readonly timeoutMs?: number;
  /** Returns what is wrong with an answer of the right shape, or null. */
  readonly check?: (value: z.infer<Schema>) => string | null;
  /** Hears each answer with status 200 that cannot be used. */
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
  /** Makes what reads one try's events: a try that fails leaves nothing behind. */
  readonly read: () => EventReader<z.infer<Schema>, Result>;
}

export interface EventReader<Event, Result> {
  /** False: enough is known. */
  take(event: Event): boolean;
  /** A text says what is wrong with the answer. */
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
   * The server's answer. A request keeps its slot while it waits for another try, so a server in trouble is asked less.
   * Throws STP1303: retryable where a later call may succeed, with the fact `contextExceeded` where the prompt is too long.
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
   * As `ask`, of an answer by server-sent events. The request's time-out is that of silence: a long answer takes its time.
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

/** Returns what is wrong with an event, in the server's words if there are any: vLLM reports its errors within streams too. */
function eventProblem(json: unknown, error: z.ZodError, data: string): string {
  const said = errorSchema.safeParse(json);
  if (said.success) return said.data.message;
  return `${issueOf(error)} (${data.slice(0, SHOWN_CHARS)})`;
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'answer'}: ${issue?.message}`;
}

/** The JSON value; where the text is not JSON, undefined, which no schema takes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
