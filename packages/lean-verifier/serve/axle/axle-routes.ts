/** The routes that AXLE's client uses. The client finds this server by its address (`AXLE_API_URL`). */
import type { WorkTracker } from '@stp/http';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { describe } from '../openapi.ts';
import { parseBody, ServiceError, unprocessable } from '../service-error.ts';
import { environmentName } from './axle-text.ts';
import { type AxleParts, axleCheck, axleDisprove, axleVerify } from './axle-tools.ts';
import {
  axleCheckAnswerSchema,
  axleCheckSchema,
  axleDisproveAnswerSchema,
  axleDisproveSchema,
  axleEnvironmentsSchema,
  axleStatusSchema,
  axleVerifyAnswerSchema,
  axleVerifySchema,
} from './axle-wire.ts';

const ERRORS = [400, 401, 413, 415, 422, 429, 500, 503];

export async function addAxleRoutes(server: FastifyInstance, parts: AxleParts, tracker: WorkTracker): Promise<void> {
  const { environment, limits } = parts;
  // A separate scope, because only these routes read the client's content type as JSON.
  await server.register(async (scope) => {
    const readJson = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser('text/plain', { parseAs: 'string' }, (request, body, done) => {
      // A web page can send plain text to any server without a preflight request, but cannot set a custom header.
      if (request.headers['x-request-source'] === undefined)
        done(new ServiceError(415, 'Send JSON, with `Content-Type: application/json`.'));
      else void readJson(request, body as string, done);
    });
    function add<Body extends z.ZodType<{ readonly timeout_seconds: number }>>(
      tool: string,
      [summary, body, answer]: readonly [summary: string, body: Body, answer: z.ZodType],
      run: (request: z.infer<Body>, parts: AxleParts, signal: AbortSignal) => Promise<object>,
    ): void {
      const schema = describe({ summary, body, answer, errors: ERRORS });
      scope.post(`/api/v1/${tool}`, { schema }, async (request, reply) => {
        const asked = parseBody(body, request.body);
        if (asked.timeout_seconds > limits.timeoutSecondsMax)
          throw unprocessable(['timeout_seconds'], `is at most ${limits.timeoutSecondsMax} here`);
        const work = tracker.begin(reply.raw);
        try {
          return await run(asked, parts, work.signal);
        } finally {
          work.end();
        }
      });
    }
    add('check', ['AXLE: does it compile', axleCheckSchema, axleCheckAnswerSchema], axleCheck);
    add('verify_proof', ['AXLE: is it proved', axleVerifySchema, axleVerifyAnswerSchema], axleVerify);
    add('disprove', ['AXLE: is it false', axleDisproveSchema, axleDisproveAnswerSchema], axleDisprove);
    scope.get(
      '/v1/status',
      { schema: describe({ summary: 'AXLE: is the server up', answer: axleStatusSchema }) },
      () => ({
        status: 'healthy',
      }),
    );
    const environments = { summary: 'AXLE: which Lean', answer: axleEnvironmentsSchema, errors: [401] };
    scope.get('/v1/environments', { schema: describe(environments) }, () => [
      { name: environmentName(environment), description: parts.hidePaths(environment.version) },
    ]);
  });
}
