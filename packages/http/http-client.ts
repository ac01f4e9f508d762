/**
 * JSON over HTTP to one server, of models or of Lean. Every exchange has limits on time and on the size of its answer,
 * and ends with its signal. Redirects are not followed, so the key reaches no other host. It judges transport alone: an
 * answer of any status is returned. It uses `undici`'s requests, not `fetch`, which gives up after five minutes without
 * headers: a full server may take longer to begin.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Agent, type Dispatcher, request } from 'undici';

/** A dead connection shows by its TCP keep-alive probes after this long in silence. */
const KEEP_ALIVE_PROBE_MS = 15_000;

export interface Answer {
  readonly status: number;
  /** `Retry-After` of the answer; null without a usable one. */
  readonly retryAfterMs: number | null;
  readonly body: string;
}

export interface Exchange {
  /** Sent as JSON by POST; a GET without it. */
  readonly body?: unknown;
  readonly answerBytesMax: number;
  /** From the first byte sent to the last received. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Streaming {
  readonly body: unknown;
  readonly answerBytesMax: number;
  /** Limit of silence: between the request and the first byte, and between two of them. */
  readonly silenceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each event of an answer with status 200; false ends the exchange, and the server is told by the closed connection. */
  readonly onEvent: (event: EventSourceMessage) => boolean;
}

/** How a streamed answer ended: by itself, by `onEvent`, or because it was larger than allowed. */
export type StreamEnd = 'whole' | 'stopped' | 'too-large';

/** The errors of a transport, in the caller's terms. */
export interface HttpFailures {
  connectionFailed(url: string, cause: unknown): Error;
  timedOut(url: string, timeoutMs: number): Error;
  answerTooLarge(url: string, bytesMax: number): Error;
}

export class HttpClient {
  readonly baseUrl: string;
  readonly #failures: HttpFailures;
  readonly #key: string | null;
  /** The limits on time are those of each exchange. */
  readonly #agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 0, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS },
  });

  /** `baseUrl` ends in the API's root, `http://host:8000/v1`. `key` is sent as a bearer token. */
  constructor(baseUrl: string, key: string | null, failures: HttpFailures) {
    this.#failures = failures;
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  /** The answer, with any status. Throws one of the failures where no answer comes, and the signal's reason when that ends the exchange. */
  exchange(path: string, { body, answerBytesMax, timeoutMs, signal }: Exchange): Promise<Answer> {
    const url = `${this.baseUrl}/${path}`;
    return this.#ask(url, body, timeoutMs, signal, (response) => this.#whole(url, response, answerBytesMax));
  }

  /** As `exchange`, and the server-sent events of a good answer as they come: the answer then has no body. */
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

  /** @param read makes a result of the answer; each call of `heard` starts the time-out anew */
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

/** Rejects where the answer was cut short. */
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
  // A last event without its empty line counts too.
  parser.feed('\n\n');
  return 'whole';
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3) as milliseconds from now. */
export function parseRetryAfter(header: string | string[] | undefined, now = Date.now()): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return 1_000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
