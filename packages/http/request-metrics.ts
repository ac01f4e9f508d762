import type { FastifyInstance } from 'fastify';
import type { Counter, Histogram } from 'prom-client';
import { CLIENT_GONE_STATUS } from './work-tracker.ts';

/** Counts every request of the server by route and status, and how long its answer took. */
export function addRequestMetrics(
  server: FastifyInstance,
  requests: Counter<'route' | 'status'>,
  seconds: Histogram<'route'>,
): void {
  server.addHook('onRequest', async ({ routeOptions }, reply) => {
    const startedAt = performance.now();
    // Comes for every answer: sent, broken off, or never begun because the client left. Fastify's hook does not.
    reply.raw.once('close', () => {
      // Paths that are no route share a label, so that a scan of the server makes no new ones.
      const route = routeOptions.url ?? 'none';
      const status = reply.raw.writableFinished ? reply.statusCode : CLIENT_GONE_STATUS;
      requests.inc({ route, status });
      seconds.observe({ route }, (performance.now() - startedAt) / 1_000);
    });
  });
}
