/**
 * The suggester behind the proxy: an existing server, or a child process `stp suggest serve`, which starts on demand
 * and restarts after it has ended. It is a separate process, so that it cannot delay or end the forwarding of messages.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { HttpClient } from '@stp/http';
import { z } from 'zod';
import type { Json } from './documents.ts';

const SERVING = /^serving suggestions on (http:\/\/\S+)/u;
/** Time limit of a start, ms. The first start may install Lean and compile the library. */
const START_MS = 600_000;
const SILENCE_MS = 120_000;
/** Lower priority than the editor and the Lean server for which a person waits. */
const NICENESS = 10;
const NOT_SERVING = 503;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export interface SuggesterCommand {
  readonly words: readonly string[];
  /** Environment variable from which the server reads its keys. */
  readonly keysVariable: string;
}

export type SuggesterSource = { readonly url: string; readonly key: string | null } | SuggesterCommand;

/** The parts of an answer that an editor shows; `suggestAnswer` of the server writes more. */
const servedAnswerSchema = z.object({
  suggestions: z.array(
    z.object({
      text: z.string(),
      class: z.string(),
      remaining: z.number().int().nonnegative(),
      source: z.string(),
    }),
  ),
  unchecked: z.string().nullable(),
});
export type ServedAnswer = Readonly<z.infer<typeof servedAnswerSchema>>;
const servedErrorSchema = z.object({ message: z.string() });

type OnEvent = (kind: string, data: Json) => void;

class ConnectionLost extends Error {}
/** The server is ending, or reopens Lean because the project was rebuilt; it will serve at another address. */
class NotServing extends Error {}

export class SuggesterProcess {
  readonly #source: SuggesterSource;
  #client: Promise<HttpClient> | null = null;
  #child: ChildProcess | null = null;
  /** Resolves to the client of the child's next address. */
  #next: PromiseWithResolvers<HttpClient> | null = null;
  /** Whether `#client` is that client. */
  #isAwaited = false;

  constructor(source: SuggesterSource) {
    this.#source = source;
  }

  /** Starts the suggester in advance, so that it is warm for the first request. */
  start(): void {
    this.#connect().catch(() => {});
  }

  /**
   * Asks a question, and repeats it once if our own suggester has ended, or is reopening Lean: it may have been killed
   * since the last question, or the project may have been rebuilt.
   *
   * @param onEvent receives the server's events
   */
  async ask(body: object, signal: AbortSignal, onEvent: OnEvent): Promise<ServedAnswer> {
    const connecting = this.#connect();
    const client = await connecting;
    try {
      return await askOf(client, body, signal, onEvent);
    } catch (error) {
      const isGone = error instanceof ConnectionLost;
      if (!(isGone || error instanceof NotServing) || 'url' in this.#source) throw error;
      // Another question may have started a new process meanwhile.
      if (this.#client === connecting) {
        if (isGone || this.#next === null) this.#drop();
        else this.#client = this.#reopened(this.#next.promise);
      }
      return await askOf(await this.#connect(), body, signal, onEvent);
    }
  }

  close(): void {
    this.#child?.stdin?.end();
    this.#child?.kill('SIGTERM');
  }

  #drop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#client = null;
    this.#next = null;
  }

  #connect(): Promise<HttpClient> {
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }

  async #open(): Promise<HttpClient> {
    if ('url' in this.#source) return clientOf(this.#source.url, this.#source.key);
    const key = randomBytes(16).toString('hex');
    const [program, ...words] = this.#source.words;
    const child = spawn(program!, words, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, [this.#source.keysVariable]: key },
    });
    this.#child = child;
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    child.stdin.on('error', () => {});
    child.once('exit', () => {
      if (this.#child !== child) return;
      this.#next?.reject(new Error('the suggester ended before it served'));
      this.#drop();
    });
    child.once('error', (error) => this.#next?.reject(error));
    this.#next = unheard();
    const first = this.#next.promise;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = SERVING.exec(line)?.[1];
      // Standard output belongs to the editor.
      if (url === undefined) return console.error(line);
      if (this.#child !== child) return;
      const client = clientOf(url, key);
      // Either a question waits for it, or none was asked since the project was rebuilt.
      if (!this.#isAwaited) this.#client = Promise.resolve(client);
      this.#isAwaited = false;
      this.#next?.resolve(client);
      this.#next = unheard();
    });
    return this.#serving(first);
  }

  #reopened(next: Promise<HttpClient>): Promise<HttpClient> {
    return this.#serving(next).catch((error: unknown) => {
      this.#drop();
      throw error;
    });
  }

  async #serving(next: Promise<HttpClient>): Promise<HttpClient> {
    this.#isAwaited = true;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('the suggester did not start in time')), START_MS);
    try {
      return await Promise.race([next, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Returns a promise whose rejection may be unhandled. */
function unheard(): PromiseWithResolvers<HttpClient> {
  const next = Promise.withResolvers<HttpClient>();
  next.promise.catch(() => {});
  return next;
}

/**
 * Returns the server's answer. Throws `ConnectionLost` if the server is gone, `NotServing` if it reports that itself.
 */
async function askOf(client: HttpClient, body: object, signal: AbortSignal, onEvent: OnEvent): Promise<ServedAnswer> {
  let answer: ServedAnswer | null = null;
  let failure = '';
  const { status, body: refused } = await client.stream('v2/suggest', {
    body: { ...body, stream: true },
    answerBytesMax: ANSWER_BYTES_MAX,
    silenceMs: SILENCE_MS,
    signal,
    onEvent: ({ event = '', data }) => {
      if (event === 'answer') answer = readEvent(data, servedAnswerSchema);
      else if (event === 'error') failure = readEvent(data, servedErrorSchema).message;
      else onEvent(event, readEvent(data, z.json()) as Json);
      return true;
    },
  });
  if (answer !== null) return answer;
  const said = failure || `the suggester answered ${status}: ${messageIn(refused)}`;
  throw status === NOT_SERVING ? new NotServing(said) : new Error(said);
}

/** Throws an error that shows the beginning of an event with other contents. */
function readEvent<Schema extends z.ZodType>(data: string, schema: Schema): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(data));
  } catch (cause) {
    throw new Error(`the suggester sent an event that cannot be read: ${data.slice(0, 200)}`, { cause });
  }
}

/** Returns the message of a refusal, or its beginning if it has another format. */
function messageIn(body: string): string {
  try {
    return String(JSON.parse(body).error.message);
  } catch {
    return body.slice(0, 200);
  }
}

function clientOf(url: string, key: string | null): HttpClient {
  return new HttpClient(url, key, {
    connectionFailed: (where, cause) =>
      new ConnectionLost(`the suggester at ${where} is gone: ${(cause as Error).message}`),
    timedOut: (where, ms) => new Error(`the suggester at ${where} gave no answer for ${ms / 1_000} s`),
    answerTooLarge: (where) => new Error(`the suggester at ${where} said more than is read`),
  });
}
