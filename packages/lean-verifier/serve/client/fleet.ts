/**
 * Makes several Lean servers look like one reliable server: a check goes to the least busy one, and to another if that
 * one is out of reach, full or failing. Only after all tries failed does the caller learn that no Lean answered.
 */
import { StpError } from '@stp/base';
import { type Outcome, withRetries } from '@stp/http';
import { allEnded } from '../../runtime/process/all-ended.ts';
import { CheckFault } from './failures.ts';
import { type CheckQuestion, isBusy, type LeanServer, type ServerResult } from './lean-server.ts';

/** Time for which full servers are asked again. */
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

  /** Checks at once, all servers together, as far as is known. */
  get capacity(): number {
    return this.#servers.reduce((sum, { capacity }) => sum + capacity, 0);
  }

  /**
   * Asks each server which Lean it has. Servers that do not answer are left for later, unless none does. Throws STP1203 and
   * STP1205 as they do. True where every one that answered walls its Lean in.
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
   * The result, or null where the servers are well and fail over this text alone, several times over. Throws STP1203, not
   * retryable where no later try can help; the signal's reason.
   */
  async check(question: CheckQuestion, header: string): Promise<ServerResult | null> {
    try {
      return await this.#try(question);
    } catch (error) {
      if (!(error instanceof CheckFault) || question.signal.aborted) throw error;
      // Is it the text? A server that cannot check anything fails here too.
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

  /** The least busy healthy server; if none is healthy, the one that may be asked soonest. */
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
