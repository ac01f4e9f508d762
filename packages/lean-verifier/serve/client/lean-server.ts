/**
 * Client of one Lean server: ours (`bin/stp lean serve`) or Kimina's. Before the first check it asks the server for its
 * Lean. It refuses a server with another Lean and, if a sandbox is required, a server without one.
 */

import { StpError } from '@stp/base';
import { type Answer, HttpClient } from '@stp/http';
import { z } from 'zod';
import type { LeanEnvironment } from '../../verifier.ts';
import { environmentAnswerSchema } from '../wire.ts';
import { CheckFault, malformed, notSandboxed, otherLean, refused, transportFailures } from './failures.ts';

const FACTS_TIMEOUT_MS = 30_000;
const FACTS_BYTES_MAX = 65_536;
/** Four mebibytes of messages of one snippet, with every character escaped. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Additional time for a request besides the check itself, ms: waiting for a process (Kimina: 60 s), its start and its
 * imports.
 */
const WAIT_MS = 180_000;
/** Pause before a failed server is asked again. It doubles with each failure, up to the maximum. */
const REST_MS_MIN = 500;
const REST_MS_MAX = 30_000;
const TOO_MANY_REQUESTS = 429;
/** Number of characters of an unreadable answer that errors show. */
const SHOWN_CHARS = 120;

const positionSchema = z.object({ line: z.int(), column: z.int().nonnegative() });
/** The fields that are read from our answers and from Kimina's. */
const answerSchema = z.object({
  results: z.tuple([
    z.object({
      id: z.string(),
      time: z.number().nonnegative().catch(0),
      error: z.string().nullish(),
      response: z
        .object({
          /** Set if the REPL could not run the snippet at all. */
          message: z.string().nullish(),
          messages: z
            .array(
              z.object({
                severity: z.enum(['info', 'warning', 'error', 'trace']),
                pos: positionSchema,
                endPos: positionSchema.nullish(),
                data: z.string(),
              }),
            )
            .nullish(),
        })
        .nullish(),
      outcome: z.string().nullish(),
      diagnostics: z.object({ cpu_time: z.number().nullish(), memory_max: z.number().nullish() }).nullish(),
    }),
  ]),
});
export type ServerResult = z.infer<typeof answerSchema>['results'][0];

export interface LeanServerOptions {
  readonly url: string;
  readonly key: string | null;
  readonly environment: Pick<LeanEnvironment, 'version' | 'fingerprint'>;
  readonly sandboxRequired: boolean;
  /** Maximum concurrent requests if the server does not report its number of processes. */
  readonly requestsDefault: number;
}

export interface CheckQuestion {
  readonly code: string;
  /** Processor time, ms, if the server supports it. `timeoutMs` limits wall time in any case. */
  readonly cpuTimeoutMs: number;
  readonly timeoutMs: number;
  readonly fresh: boolean;
  readonly signal: AbortSignal;
}

export class LeanServer {
  readonly #options: LeanServerOptions;
  readonly #client: HttpClient;
  readonly #closing = new AbortController();
  /**
   * The server's description of itself. Null before it was asked, and after the server was unreachable, since another
   * server may have replaced it.
   */
  #facts: Promise<ServerFacts> | null = null;
  #capacity: number;
  #timeoutMsMax = Infinity;
  #restsUntil = 0;
  #failuresInRow = 0;
  inFlight = 0;

  constructor(options: LeanServerOptions) {
    this.#options = options;
    this.#capacity = options.requestsDefault;
    this.#client = new HttpClient(options.url, options.key, transportFailures);
  }

  get url(): string {
    return this.#client.baseUrl;
  }

  /** Maximum number of concurrent checks. */
  get capacity(): number {
    return this.#capacity;
  }

  /** When the server may be asked again, on the clock of `performance.now`. */
  get restsUntil(): number {
    return this.#restsUntil;
  }

  /**
   * Throws STP1203 if the server does not answer (retryable) or has another Lean, STP1205 if it lacks a required
   * sandbox.
   */
  async facts(signal: AbortSignal): Promise<ServerFacts> {
    // All concurrent callers share this request, so the signal of one caller does not abort it.
    this.#facts ??= this.#learn(this.#closing.signal);
    const asked = this.#facts;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener('abort', leave);
    try {
      signal.throwIfAborted();
      return await Promise.race([asked, left.promise]);
    } catch (error) {
      if (this.#facts === asked && !signal.aborted) this.#facts = null;
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /**
   * Throws STP1203: retryable, a `CheckFault` if the text may be the cause, with the fact `status` 429 if the server is
   * full.
   */
  async check(question: CheckQuestion): Promise<ServerResult> {
    const { signal } = question;
    this.inFlight += 1;
    try {
      await this.facts(signal);
      const answer = await this.#ask(question);
      this.#failuresInRow = 0;
      return answer;
    } catch (error) {
      if (!signal.aborted && !(error instanceof CheckFault)) this.#rest(isBusy(error));
      throw error;
    } finally {
      this.inFlight -= 1;
    }
  }

  close(): void {
    this.#closing.abort(new StpError('STP1203', 'the connection to the Lean server was closed', 'Open a new one.'));
    this.#client.close();
  }

  async #ask({ code, cpuTimeoutMs, timeoutMs, fresh, signal }: CheckQuestion): Promise<ServerResult> {
    const allowedMs = Math.min(timeoutMs, this.#timeoutMsMax);
    const body = {
      snippets: [{ id: 'a', code }],
      timeout: Math.ceil(allowedMs / 1_000),
      cpu_timeout: cpuTimeoutMs / 1_000,
      debug: true,
      reuse: !fresh,
    };
    const answer = await this.#client.exchange('api/check', {
      body,
      answerBytesMax: ANSWER_BYTES_MAX,
      timeoutMs: allowedMs + WAIT_MS,
      signal,
    });
    const url = `${this.url}/api/check`;
    // Kimina answers with 500 if its REPL broke, whether or not this text was the cause.
    if (answer.status === 500) throw new CheckFault(url, answer.body);
    if (answer.status !== 200) throw refused(url, answer.status, answer.body);
    const parsed = answerSchema.safeParse(parseJson(answer.body));
    if (!parsed.success) throw malformed(url, answer.body.slice(0, SHOWN_CHARS));
    return parsed.data.results[0];
  }

  #rest(busy: boolean): void {
    if (busy) {
      this.#restsUntil = performance.now() + REST_MS_MIN;
      return;
    }
    const restMs = Math.min(REST_MS_MAX, REST_MS_MIN * 2 ** this.#failuresInRow);
    this.#failuresInRow += 1;
    this.#restsUntil = performance.now() + restMs;
    this.#facts = null;
  }

  async #learn(signal: AbortSignal): Promise<ServerFacts> {
    const { environment, sandboxRequired } = this.#options;
    const answer = await this.#client.exchange('api/environment', {
      answerBytesMax: FACTS_BYTES_MAX,
      timeoutMs: FACTS_TIMEOUT_MS,
      signal,
    });
    const url = `${this.url}/api/environment`;
    if (answer.status === 404) return this.#learnOfKimina(signal);
    if (answer.status !== 200) throw refused(url, answer.status, answer.body);
    const parsed = environmentAnswerSchema.safeParse(parseJson(answer.body));
    if (!parsed.success) throw malformed(url, answer.body.slice(0, SHOWN_CHARS));
    const { lean, fingerprint, processes, sandbox, timeout_max } = parsed.data;
    if (fingerprint !== environment.fingerprint)
      throw otherLean(
        this.url,
        `${lean} (library ${fingerprint})`,
        `${environment.version} (${environment.fingerprint})`,
      );
    const isSandboxed = !sandbox.startsWith('none');
    if (sandboxRequired && !isSandboxed) throw notSandboxed(this.url, sandbox);
    this.#capacity = Math.max(1, processes);
    this.#timeoutMsMax = 1_000 * timeout_max;
    return { isSandboxed };
  }

  /** Kimina's server does not describe itself, so its Lean is asked for its version. Its library stays unknown. */
  async #learnOfKimina(signal: AbortSignal): Promise<ServerFacts> {
    const { environment, sandboxRequired } = this.#options;
    if (sandboxRequired) throw notSandboxed(this.url, 'it says nothing of a sandbox');
    const timeoutMs = FACTS_TIMEOUT_MS;
    const question = { code: '#eval Lean.versionString', cpuTimeoutMs: timeoutMs, timeoutMs, fresh: false, signal };
    const { response } = await this.#ask(question);
    const version = /\d+\.\d+\.\d+[\w.-]*/.exec(response?.messages?.[0]?.data ?? '')?.[0] ?? 'a Lean without a version';
    if (version !== /\d+\.\d+\.\d+[\w.-]*/.exec(environment.version)?.[0])
      throw otherLean(this.url, version, environment.version);
    return { isSandboxed: false };
  }
}

/** Whether the server is healthy but full. */
export function isBusy(error: unknown): boolean {
  return error instanceof StpError && error.facts.status === TOO_MANY_REQUESTS;
}

export interface ServerFacts {
  readonly isSandboxed: boolean;
}

/** Parses JSON. Returns undefined for invalid JSON, which no schema accepts. */
function parseJson(text: Answer['body']): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
