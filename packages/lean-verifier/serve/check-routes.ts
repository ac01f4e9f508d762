/** `POST /api/check`, and two routes that Kimina's server keeps from its first version. */

import type { WorkTracker } from '@stp/http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { checkBatch } from './check-batch.ts';
import type { LeanServeLimits } from './limits.ts';
import { describe } from './openapi.ts';
import type { HidePaths } from './private-paths.ts';
import type { ServeMetrics } from './serve-metrics.ts';
import { parseBody, unprocessable } from './service-error.ts';
import {
  checkAnswerSchema,
  checkRequestSchema,
  legacyAnswerSchema,
  legacyRequestSchema,
  type WireResult,
} from './wire.ts';

const CHECK_ERRORS = [400, 401, 413, 415, 422, 429, 500, 503];
const NO_INFOTREE = 'is not to be had here: send null, or leave it out';

export interface CheckRoutes {
  readonly pool: LeanPool;
  readonly limits: LeanServeLimits;
  readonly metrics: ServeMetrics;
  readonly tracker: WorkTracker;
  readonly hidePaths: HidePaths;
}

interface Job {
  readonly snippets: readonly { id: string; code: string }[];
  readonly timeoutSeconds: number;
  readonly cpuTimeoutSeconds: number | null;
  readonly debug: boolean;
  readonly reuse: boolean;
}

export function addCheckRoutes(server: FastifyInstance, routes: CheckRoutes): void {
  const schema = describe({
    summary: 'Check snippets',
    body: checkRequestSchema,
    answer: checkAnswerSchema,
    errors: CHECK_ERRORS,
  });
  server.post('/api/check', { schema }, async ({ body }, reply) => {
    const { snippets, timeout, cpu_timeout, debug, reuse, infotree } = parseBody(checkRequestSchema, body);
    if (infotree) throw unprocessable(['infotree'], NO_INFOTREE);
    return {
      results: await check(
        { snippets, timeoutSeconds: timeout, cpuTimeoutSeconds: cpu_timeout ?? null, debug, reuse },
        routes,
        reply,
      ),
    };
  });
  const legacySchema = describe({
    summary: 'Check snippets, as the first version of the contract has it',
    body: legacyRequestSchema,
    answer: legacyAnswerSchema,
    errors: CHECK_ERRORS,
  });
  for (const route of ['/verify', '/one_pass_verify_batch']) {
    server.post(route, { schema: legacySchema }, async ({ body }, reply) => {
      const { codes, timeout, disable_cache, infotree_type } = parseBody(legacyRequestSchema, body);
      if (infotree_type) throw unprocessable(['infotree_type'], NO_INFOTREE);
      const snippets = codes.map(({ custom_id, proof, code }) => ({
        id: String(custom_id),
        code: proof ?? code ?? '',
      }));
      const job = { snippets, timeoutSeconds: timeout, cpuTimeoutSeconds: null, debug: false, reuse: !disable_cache };
      return { results: (await check(job, routes, reply)).map(legacyResult) };
    });
  }
}

async function check(job: Job, { tracker, ...routes }: CheckRoutes, reply: FastifyReply) {
  const { limits } = routes;
  if (job.timeoutSeconds > limits.timeoutSecondsMax)
    throw unprocessable(['timeout'], `is at most ${limits.timeoutSecondsMax} here`);
  const work = tracker.begin(reply.raw);
  try {
    const { snippets, timeoutSeconds, cpuTimeoutSeconds, debug, reuse } = job;
    const cpuTimeoutMs = cpuTimeoutSeconds === null ? null : 1_000 * cpuTimeoutSeconds;
    const options = { ...routes, timeoutMs: 1_000 * timeoutSeconds, cpuTimeoutMs, debug, fresh: !reuse };
    return await checkBatch(snippets, { ...options, signal: work.signal });
  } finally {
    work.end();
  }
}

function legacyResult({ id, error, response, time }: WireResult) {
  return { custom_id: id, error: error ?? null, response: response ? { ...response, time } : null };
}
