/** Metrics of an HTTP server's requests. */
import type { FastifyInstance } from 'fastify';
import type { Counter, Histogram } from 'prom-client';
import { CLIENT_GONE_STATUS } from './work-tracker.ts';

/** Counts every request by route and status, and measures the time of its answer. */
export function addRequestMetrics(
  server: FastifyInstance,
  requests: Counter<'route' | 'status'>,
  seconds: Histogram<'route'>,
): void {
  server.addHook('onRequest', async ({ routeOptions }, reply) => {
    const startedAt = performance.now();
    // Emitted for every answer: sent, aborted, or never begun because the client disconnected. Fastify's hook is not.
    reply.raw.once('close', () => {
      // Paths without a route share a label, so that a scan of the server does not add labels.
      const route = routeOptions.url ?? 'none';
      const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE_STATUS;
      requests.inc({ route, status });
      seconds.observe({ route }, (performance.now() - startedAt) / 1_000);
    });
  });
}
