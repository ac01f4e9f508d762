/** Typed requests to an OpenAI-compatible server and its answers: limited in number, repeated while that can help. */
import type { z } from 'zod';
import { StpError } from '../../../data/errors.ts';
import { type Answer, HttpClient } from '../../../data/http/http-client.ts';
import { type Outcome, withRetries } from '../../../data/http/retry.ts';
import { Turns } from '../../../data/turns.ts';
import { answerTooLarge, connectionFailed, malformedAnswer, refused, timedOut } from './server-errors.ts';
import { isContextExceeded, serverMessage } from './wire.ts';

/** Characters of an unreadable answer that are shown. */
const SHOWN_CHARS = 120;

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

export interface Question<Schema extends z.ZodType> {
  /** Sent by POST; a GET without it. */
  readonly body?: unknown;
  readonly schema: Schema;
  readonly answerBytesMax: number;
  /** For one try, where it is less than the server's. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export class ModelServer {
  readonly #options: ModelServerOptions;
  readonly #client: HttpClient;
  readonly #turns = new Turns();

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

  close(): void {
    this.#client.close();
  }

  async #try<Schema extends z.ZodType>(
    path: string,
    question: Question<Schema>,
    timeoutMs: number,
  ): Promise<Outcome<z.infer<Schema>>> {
    const { body, schema, answerBytesMax, signal } = question;
    let answer: Answer;
    try {
      answer = await this.#client.exchange(path, { body, answerBytesMax, timeoutMs, signal });
    } catch (error) {
      if (!(error instanceof StpError && error.retryable) || signal.aborted) throw error;
      return { kind: 'again', error, retryAfterMs: null, busy: false };
    }
    const url = `${this.url}/${path}`;
    if (answer.status === 200) {
      const parsed = schema.safeParse(parseJson(answer.body));
      if (parsed.success) return { kind: 'done', value: parsed.data };
      const [issue] = parsed.error.issues;
      const problem = `${issue?.path.join('.') || 'answer'}: ${issue?.message} (${answer.body.slice(0, SHOWN_CHARS)})`;
      return { kind: 'again', error: malformedAnswer(url, problem), retryAfterMs: null, busy: false };
    }
    const said = serverMessage(answer.body);
    const contextExceeded = isContextExceeded(answer.status, said);
    const error = refused(url, answer.status, said.message, contextExceeded);
    if (!error.retryable) throw error;
    return { kind: 'again', error, retryAfterMs: answer.retryAfterMs, busy: answer.status === 429 };
  }
}

/** The JSON value; where the text is not JSON, undefined, which no schema takes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
