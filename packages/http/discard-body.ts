/**
 * Reads and discards the rest of a request's body. Many clients send the whole body before they read an answer. If the
 * connection closes meanwhile, they get a broken pipe and never learn what was wrong.
 */
import type { IncomingMessage } from 'node:http';

/** Maximum bytes read from a refused body. A client that sends more finds the connection closed. */
const BYTES_MAX = 512 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Resolves when the body has ended or was aborted, or at the limit. */
export function discardBody(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) resolve();
  };
  const timer = setTimeout(resolve, TIMEOUT_MS);
  const endings = ['end', 'close', 'error'] as const;
  for (const ending of endings) request.once(ending, resolve);
  request.on('data', count);
  request.resume();
  return promise.finally(() => {
    clearTimeout(timer);
    request.off('data', count);
    for (const ending of endings) request.off(ending, resolve);
  });
}
