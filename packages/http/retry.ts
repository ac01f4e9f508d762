/**
 * Repeats an exchange while that can help, with exponential back-off and jitter, or after the server's `Retry-After`.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum failures of a request. With the default first wait they span half a minute. */
const ATTEMPTS_MAX = 6;
/** Maximum wait between tries, ms, even if the server requests a longer one. */
const WAIT_MS_MAX = 60_000;

export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /**
   * A retry may help. `busy`: the server is healthy but full, which counts against the time limit instead of the number
   * of tries.
   */
  | {
      readonly kind: 'again';
      readonly error: Error;
      readonly retryAfterMs: number | null;
      readonly busy: boolean;
    };

export interface RetryOptions {
  /** Wait before the second try, ms; doubled each time. */
  readonly firstWaitMs: number;
  /** How long a busy server is retried, ms. */
  readonly busyLimitMs: number;
  readonly signal: AbortSignal;
}

/** Returns the value, or throws the last try's error. An error thrown by `attempt` is final. */
export async function withRetries<Value>(
  attempt: () => Promise<Outcome<Value>>,
  { firstWaitMs, busyLimitMs, signal }: RetryOptions,
): Promise<Value> {
  const startedAt = performance.now();
  let failures = 0;
  for (let tries = 1; ; tries++) {
    const outcome = await attempt();
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.busy ? performance.now() - startedAt > busyLimitMs : ++failures >= ATTEMPTS_MAX) throw outcome.error;
    // Jitter prevents requests that failed together from being repeated together; no result depends on it.
    const backOffMs = firstWaitMs * 2 ** Math.min(tries - 1, 20) * (0.5 + Math.random() / 2);
    const waitMs = Math.min(Math.max(backOffMs, outcome.retryAfterMs ?? 0), WAIT_MS_MAX);
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
