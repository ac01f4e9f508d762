/**
 * Combines several Lean servers into one reliable server. A check goes to the least busy server, and to another one if
 * that one is unreachable, full or failing. Only after all tries have failed does the caller get an error.
 */
import { StpError } from '@stp/base';
import { type Outcome, withRetries } from '@stp/http';
import { allEnded } from '../../runtime/process/all-ended.ts';
import { CheckFault } from './failures.ts';
import { type CheckQuestion, isBusy, type LeanServer, type ServerResult } from './lean-server.ts';

/** How long full servers are retried. */
const BUSY_LIMIT_MS = 600_000;
/** A text that every Lean accepts under every header. */
const ACCEPTED_BY_ALL = 'example : True := True.intro';

export class Fleet {
  readonly #servers: readonly LeanServer[];
  readonly #firstRetryMs: number;

  constructor(servers: readonly LeanServer[], firstRetryMs: number) {
    this.#servers = servers;
    this.#firstRetryMs = firstRetryMs;
  }

  /** Maximum number of concurrent checks over all servers, as far as known. */
  get capacity(): number {
    return this.#servers.reduce((sum, { capacity }) => sum + capacity, 0);
  }

  /**
   * Asks each server for its Lean. Servers that do not answer are asked again later, unless none answers. Throws the
   * servers' STP1203 and STP1205. Returns true if every server that answered runs Lean in a sandbox.
   */
  async learn(signal: AbortSignal): Promise<boolean> {
    let answered = 0;
    let isSandboxed = true;
    let silent: unknown;
    await allEnded(
      this.#servers.map(async (server) => {
        try {
          isSandboxed = (await server.facts(signal)).isSandboxed && isSandboxed;
          answered += 1;
        } catch (error) {
          if (!isRetryable(error) || signal.aborted) throw error;
          silent = error;
        }
      }),
    );
    if (answered === 0) throw silent;
    return isSandboxed && answered === this.#servers.length;
  }

  /**
   * Returns the result, or null if healthy servers repeatedly fail on this text alone. Throws STP1203, which is not
   * retryable if no later try can help, or the signal's reason.
   */
  async check(question: CheckQuestion, header: string): Promise<ServerResult | null> {
    try {
      return await this.#try(question);
    } catch (error) {
      if (!(error instanceof CheckFault) || question.signal.aborted) throw error;
      // A test text shows whether the text or the server is the cause: a broken server fails here too.
      await this.#try({ ...question, code: `${header}\n${ACCEPTED_BY_ALL}`, fresh: false });
      return null;
    }
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }

  #try(question: CheckQuestion): Promise<ServerResult> {
    const { signal } = question;
    const attempt = async (): Promise<Outcome<ServerResult>> => {
      try {
        return { kind: 'done', value: await this.#next().check(question) };
      } catch (error) {
        if (!isRetryable(error) || signal.aborted) throw error;
        return { kind: 'again', error, retryAfterMs: null, busy: isBusy(error) };
      }
    };
    return withRetries(attempt, { firstWaitMs: this.#firstRetryMs, busyLimitMs: BUSY_LIMIT_MS, signal });
  }

  /** Returns the least busy healthy server; if none is healthy, the one whose pause ends first. */
  #next(): LeanServer {
    const now = performance.now();
    const well = this.#servers.filter((server) => server.restsUntil <= now);
    const load = (server: LeanServer): number => server.inFlight / server.capacity;
    const [next] =
      well.length > 0
        ? well.toSorted((left, right) => load(left) - load(right))
        : this.#servers.toSorted((left, right) => left.restsUntil - right.restsUntil);
    return next!;
  }
}

function isRetryable(error: unknown): error is StpError {
  return error instanceof StpError && error.retryable;
}
