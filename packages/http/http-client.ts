/**
 * JSON over HTTP to one server, of models or of Lean. Every exchange has limits on time and on the size of its answer,
 * and ends with its signal. Redirects are not followed, so the key reaches no other host. It judges transport alone: an
 * answer of any status is returned. It uses `node:http`, not `fetch`, which gives up after five minutes without
 * headers: a full server may take longer to begin.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

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
  /** Called with each line of an answer with status 200; false ends the exchange, and the server is told by the closed connection. */
  readonly onLine: (line: string) => boolean;
}

/** How a streamed answer ended: by itself, by `onLine`, or because it was larger than allowed. */
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
  readonly #agent: HttpAgent;
  readonly #isSecure: boolean;

  /** `baseUrl` ends in the API's root, `http://host:8000/v1`. `key` is sent as a bearer token. */
  constructor(baseUrl: string, key: string | null, failures: HttpFailures) {
    this.#failures = failures;
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
    this.#isSecure = this.baseUrl.startsWith('https:');
    const options = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_PROBE_MS };
    this.#agent = this.#isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** The answer, with any status. Throws one of the failures where no answer comes, and the signal's reason when that ends the exchange. */
  async exchange(path: string, { body, answerBytesMax, timeoutMs, signal }: Exchange): Promise<Answer> {
    signal?.throwIfAborted();
    const url = `${this.baseUrl}/${path}`;
    const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(this.#failures.timedOut(url, timeoutMs)), timeoutMs);
    const abort = () => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await this.#send(url, content, end.signal);
      const received = await readBody(response, answerBytesMax);
      if (received === null) throw this.#failures.answerTooLarge(url, answerBytesMax);
      const retryAfterMs = parseRetryAfter(response.headers['retry-after']);
      return { status: response.statusCode ?? 0, retryAfterMs, body: received };
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason;
      throw this.#failures.connectionFailed(url, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** As `exchange`, and the lines of a good answer as they come: the answer then has no body. */
  async stream(
    path: string,
    { body, answerBytesMax, silenceMs, signal, onLine }: Streaming,
  ): Promise<Answer & { readonly end: StreamEnd }> {
    signal?.throwIfAborted();
    const url = `${this.baseUrl}/${path}`;
    const end = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(this.#failures.timedOut(url, silenceMs)), silenceMs);
    };
    const abort = () => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      heard();
      const response = await this.#send(url, Buffer.from(JSON.stringify(body)), end.signal);
      const status = response.statusCode ?? 0;
      const retryAfterMs = parseRetryAfter(response.headers['retry-after']);
      if (status !== 200) {
        const received = await readBody(response, answerBytesMax);
        if (received === null) throw this.#failures.answerTooLarge(url, answerBytesMax);
        return { status, retryAfterMs, body: received, end: 'whole' };
      }
      return { status, retryAfterMs, body: '', end: await readLines(response, answerBytesMax, heard, onLine) };
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason;
      throw this.#failures.connectionFailed(url, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  #send(url: string, content: Buffer | null, signal: AbortSignal): Promise<IncomingMessage> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.#key !== null) headers.authorization = `Bearer ${this.#key}`;
    if (content !== null) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(content.length);
    }
    return new Promise((resolve, reject) => {
      const send = this.#isSecure ? httpsRequest : httpRequest;
      const request = send(url, { method: content === null ? 'GET' : 'POST', headers, agent: this.#agent, signal });
      request.once('response', resolve);
      // Stays attached: a connection that breaks while the answer is read reports here as well.
      request.on('error', reject);
      request.end(content ?? undefined);
    });
  }
}

/** The whole body as text; null, with the connection closed, when it is too large. Throws when it was cut short. */
async function readBody(response: IncomingMessage, bytesMax: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      response.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error('the connection ended before the answer was whole');
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws when the answer was cut short. A line is one of server-sent events: it ends with a line feed. */
async function readLines(
  response: IncomingMessage,
  bytesMax: number,
  heard: () => void,
  onLine: (line: string) => boolean,
): Promise<StreamEnd> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    heard();
    bytes += chunk.length;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines)
      if (!onLine(line)) {
        response.destroy();
        return 'stopped';
      }
    if (bytes > bytesMax) {
      response.destroy();
      return 'too-large';
    }
  }
  if (!response.complete) throw new Error('the connection ended before the answer was whole');
  if (rest !== '') onLine(rest);
  return 'whole';
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3) as milliseconds from now. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return 1_000 * Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
