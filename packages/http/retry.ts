/**
 * Repeats an exchange while that can help: exponential back-off with jitter, or `Retry-After` if the server sends it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Failures of one request before its call fails. With the default first wait they span half a minute. */
const ATTEMPTS_MAX = 6;
/** Longest wait between tries, even if the server asks for a longer one. */
const WAIT_MS_MAX = 60_000;

/** How one try ended. */
export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** Worth another try. `busy`: the server is well but full, which counts against time and not against tries. */
  | {
      readonly kind: 'again';
      readonly error: Error;
      readonly retryAfterMs: number | null;
      readonly busy: boolean;
    };

export interface RetryOptions {
  /** Before the second try; doubled each time. */
  readonly firstWaitMs: number;
  /** For how long a busy server is asked again. */
  readonly busyLimitMs: number;
  readonly signal: AbortSignal;
}

/** The value, or the last try's error. What `attempt` throws is final. */
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
    // Jitter keeps many requests that failed together from coming back together; no result depends on it.
    const backOffMs = firstWaitMs * 2 ** Math.min(tries - 1, 20) * (0.5 + Math.random() / 2);
    const waitMs = Math.min(Math.max(backOffMs, outcome.retryAfterMs ?? 0), WAIT_MS_MAX);
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
