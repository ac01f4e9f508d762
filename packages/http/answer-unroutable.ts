/** Answers requests that reach no route and no error handler, such as `/%zz` or one with a very long name in its path. */
import type { ServerResponse } from 'node:http';
import type { FastifyError } from 'fastify';

/**
 * Fastify's reply allows only answers of a route, and there is none, so the answer is written to the response itself.
 *
 * @param bodyOf makes the answer's body
 */
export function answerUnroutable(bodyOf: (status: number, problem: string) => object) {
  return ({ statusCode = 400, message }: FastifyError, _request: unknown, reply: { readonly raw: ServerResponse }) => {
    reply.raw
      .writeHead(statusCode, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(bodyOf(statusCode, message)));
  };
}
