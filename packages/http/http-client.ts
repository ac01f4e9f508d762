/**
 * JSON over HTTP to one server of models or of Lean. Every exchange has limits on time and on the size of its answer,
 * and ends with its signal. Redirects are not followed, so the key reaches no other host. Answers with any status are
 * returned. Uses `undici`'s requests instead of `fetch`, which gives up after five minutes without headers: a full
 * server may take longer.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Agent, type Dispatcher, request } from 'undici';

/** TCP keep-alive probes detect a dead connection after this long without data, ms. */
const KEEP_ALIVE_PROBE_MS = 15_000;

export interface Answer {
  readonly status: number;
  /** `Retry-After` of the answer; null if it is missing or unusable. */
  readonly retryAfterMs: number | null;
  readonly body: string;
}

export interface Exchange {
  /** Sent as JSON by POST. Missing: the request is a GET. */
  readonly body?: unknown;
  readonly answerBytesMax: number;
  /** Time limit from the first byte sent to the last received, ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Streaming {
  readonly body: unknown;
  readonly answerBytesMax: number;
  /** Maximum time without data, ms: between the request and the first byte, and between two bytes. */
  readonly silenceMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with each event of an answer with status 200. If it returns false, the exchange ends and the connection
   * closes.
   */
  readonly onEvent: (event: EventSourceMessage) => boolean;
}

/** How a streamed answer ended: by itself, by `onEvent`, or because it exceeded the limit. */
export type StreamEnd = 'whole' | 'stopped' | 'too-large';

/** The caller's errors for transport failures. */
export interface HttpFailures {
  connectionFailed(url: string, cause: unknown): Error;
  timedOut(url: string, timeoutMs: number): Error;
  answerTooLarge(url: string, bytesMax: number): Error;
}

export class HttpClient {
  readonly baseUrl: string;
  readonly #failures: HttpFailures;
  readonly #key: string | null;
  /** Time limits are set per exchange instead. */
  readonly #agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 0, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS },
  });

  /** `baseUrl` is the API's root, such as `http://host:8000/v1`. `key` is sent as a bearer token. */
  constructor(baseUrl: string, key: string | null, failures: HttpFailures) {
    this.#failures = failures;
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  /**
   * Returns the answer, whatever its status. Throws one of the failures if there is no answer, or the signal's reason.
   */
  exchange(path: string, { body, answerBytesMax, timeoutMs, signal }: Exchange): Promise<Answer> {
    const url = `${this.baseUrl}/${path}`;
    return this.#ask(url, body, timeoutMs, signal, (response) => this.#whole(url, response, answerBytesMax));
  }

  /** Like `exchange`, but passes on the server-sent events of a successful answer, which then has no body. */
  stream(
    path: string,
    { body, answerBytesMax, silenceMs, signal, onEvent }: Streaming,
  ): Promise<Answer & { readonly end: StreamEnd }> {
    const url = `${this.baseUrl}/${path}`;
    return this.#ask(url, body, silenceMs, signal, async (response, heard) => {
      if (response.statusCode !== 200) return { ...(await this.#whole(url, response, answerBytesMax)), end: 'whole' };
      const end = await readEvents(response.body, answerBytesMax, heard, onEvent);
      return { status: 200, retryAfterMs: null, body: '', end };
    });
  }

  /** Closes every connection. */
  close(): void {
    void this.#agent.destroy();
  }

  /** @param read converts the answer to a result; each call of `heard` restarts the timeout */
  async #ask<Result>(
    url: string,
    body: unknown,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    read: (response: Dispatcher.ResponseData, heard: () => void) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(this.#failures.timedOut(url, timeoutMs)), timeoutMs);
    const abort = () => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const content = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
    const headers = {
      accept: 'application/json',
      ...(this.#key === null ? {} : { authorization: `Bearer ${this.#key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await request(url, { ...content, headers, signal: end.signal, dispatcher: this.#agent });
      return await read(response, () => void timer.refresh());
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason;
      throw this.#failures.connectionFailed(url, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #whole(url: string, { statusCode, headers, body }: Dispatcher.ResponseData, bytesMax: number): Promise<Answer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop closes the connection.
      if (bytes > bytesMax) throw this.#failures.answerTooLarge(url, bytesMax);
      chunks.push(chunk);
    }
    const retryAfterMs = parseRetryAfter(headers['retry-after']);
    return { status: statusCode, retryAfterMs, body: Buffer.concat(chunks).toString('utf8') };
  }
}

/** Rejects if the answer was truncated. */
async function readEvents(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
  heard: () => void,
  onEvent: Streaming['onEvent'],
): Promise<StreamEnd> {
  const decoder = new TextDecoder();
  let isWanted = true;
  const parser = createParser({
    onEvent: (event) => {
      isWanted &&= onEvent(event);
    },
  });
  let bytes = 0;
  for await (const chunk of body) {
    heard();
    bytes += chunk.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (!isWanted) return 'stopped';
    if (bytes > bytesMax) return 'too-large';
  }
  // Also process a last event without its final empty line.
  parser.feed('\n\n');
  return 'whole';
}

/** Converts seconds or an HTTP date (RFC 9110 §10.2.3) to milliseconds from now. */
export function parseRetryAfter(header: string | string[] | undefined, now = Date.now()): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return 1_000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
