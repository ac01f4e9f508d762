/** `POST /api/verify`: verdicts on proofs, and on proofs in answers of models. */
import type { WorkTracker } from '@stp/http';
import type { FastifyInstance } from 'fastify';
import { describe } from '../openapi.ts';
import { parseBody, unprocessable } from '../service-error.ts';
import type { VerdictTools } from './verdict-tools.ts';
import { verifyAnswerSchema, verifyRequestSchema } from './verdict-wire.ts';
import { verifyRows } from './verify-rows.ts';

const ERRORS = [400, 401, 413, 415, 422, 429, 500, 503];

export function addVerdictRoutes(server: FastifyInstance, tools: VerdictTools, tracker: WorkTracker): void {
  const schema = describe({
    summary: 'Judge proofs: each is screened, tried by Lean, compiled, and looked at by the second kernel',
    body: verifyRequestSchema,
    answer: verifyAnswerSchema,
    errors: ERRORS,
  });
  server.post('/api/verify', { schema }, async ({ body }, reply) => {
    const { rows } = parseBody(verifyRequestSchema, body);
    for (const [index, row] of rows.entries())
      if (row.answer !== undefined && !tools.formats.includes(row.format!))
        throw unprocessable(['rows', index, 'format'], `is none of ${tools.formats.join(', ')}`);
    const work = tracker.begin(reply.raw);
    try {
      return { results: await verifyRows(rows, tools, work.signal) };
    } finally {
      work.end();
    }
  });
}
