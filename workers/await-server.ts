/**
 * Makes a worker wait for its Temporal server. Some machines start their worker only once, so a worker that gave up
 * during a restart of the server would stay away until a person starts it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';

const PAUSE_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;

/**
 * Returns the result of `connect`, retrying until the server answers. Throws STP1101 after a quarter of an hour, or
 * when a signal ends the wait.
 */
export async function untilServer<T>(
  address: string,
  connect: () => Promise<T>,
  say: (line: string) => void,
): Promise<T> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const untilMs = performance.now() + PATIENCE_MS;
  let isSaid = false;
  try {
    for (;;)
      try {
        return await connect();
      } catch (cause) {
        const error = new StpError(
          'STP1101',
          `no Temporal server answers at ${address}`,
          'Start one with `npm run dev`, or set TEMPORAL_ADDRESS to yours.',
          { retryable: true, cause },
        );
        if (performance.now() >= untilMs) throw error;
        if (!isSaid) say(`${error.toText()}\nThe worker waits ${PATIENCE_MS / 60_000} minutes for it.`);
        isSaid = true;
        await sleep(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
        if (ending.signal.aborted) throw error;
      }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
}
