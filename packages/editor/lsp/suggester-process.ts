/**
 * The suggester behind the proxy: a server that runs already, or a `stp suggest serve` of its own, started when it is first
 * needed and anew after it has ended. A process of its own, so that nothing it does delays or ends what the proxy passes on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { HttpClient } from '@stp/http';
import type { Json } from './documents.ts';

const SERVING = /^serving suggestions on (http:\/\/\S+)/u;
/** The first start may get Lean and compile the library. */
const START_MS = 600_000;
const SILENCE_MS = 120_000;
/** The suggester and its Lean yield to the editor and to the Lean server that a person waits for. */
const NICENESS = 10;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export interface SuggesterCommand {
  readonly words: readonly string[];
  /** Environment variable in which the server reads its keys. */
  readonly keysVariable: string;
}

export type SuggesterSource = { readonly url: string; readonly key: string | null } | SuggesterCommand;

export interface ServedSuggestion {
  readonly text: string;
  readonly class: string;
  readonly remaining: number;
  readonly source: string;
}

export interface ServedAnswer {
  readonly suggestions: readonly ServedSuggestion[];
  readonly unchecked: string | null;
}

type OnEvent = (kind: string, data: Json) => void;

class ConnectionLost extends Error {}

export class SuggesterProcess {
  readonly #source: SuggesterSource;
  #client: Promise<HttpClient> | null = null;
  #child: ChildProcess | null = null;

  constructor(source: SuggesterSource) {
    this.#source = source;
  }

  /** Starts it, so that the first question finds it warm. */
  start(): void {
    this.#connect().catch(() => {});
  }

  /**
   * Asks once more where a suggester of its own has ended: it may have been killed since the last question.
   *
   * @param onEvent hears what the server says on the way
   */
  async ask(body: object, signal: AbortSignal, onEvent: OnEvent): Promise<ServedAnswer> {
    const connecting = this.#connect();
    const client = await connecting;
    try {
      return await askOf(client, body, signal, onEvent);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || 'url' in this.#source) throw error;
      // Another question may have started a new one meanwhile.
      if (this.#client === connecting) this.#drop();
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
      if (this.#child === child) this.#drop();
    });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(() => reject(new Error('the suggester did not start in time')), START_MS);
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the suggester ended before it served')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = SERVING.exec(line)?.[1];
      if (url !== undefined) resolve(url);
      // Standard output belongs to the editor.
      else console.error(line);
    });
    try {
      return clientOf(await promise, key);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The server's answer to one question. Throws `ConnectionLost` where the server is gone. */
async function askOf(client: HttpClient, body: object, signal: AbortSignal, onEvent: OnEvent): Promise<ServedAnswer> {
  let answer: ServedAnswer | null = null;
  let failure = '';
  const { status, body: refused } = await client.stream('v2/suggest', {
    body: { ...body, stream: true },
    answerBytesMax: ANSWER_BYTES_MAX,
    silenceMs: SILENCE_MS,
    signal,
    onEvent: ({ event = '', data }) => {
      const value = JSON.parse(data);
      if (event === 'answer') answer = value;
      else if (event === 'error') failure = value.message;
      else onEvent(event, value);
      return true;
    },
  });
  if (answer !== null) return answer;
  throw new Error(failure || `the suggester answered ${status}: ${messageIn(refused)}`);
}

/** Returns the message of a refusal; its beginning if it has another form. */
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
