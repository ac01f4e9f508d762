/** Answers requests whose path cannot be decoded, such as `/%zz`. They reach no route and no error handler. */
import type { ServerResponse } from 'node:http';
import type { FastifyError } from 'fastify';

/**
 * Fastify's reply allows only answers of a route, and there is none, so the answer is written to the response itself.
 *
 * @param bodyOf makes the answer's body from what is wrong
 */
export function undecodablePath(bodyOf: (problem: string) => object) {
  return ({ message }: FastifyError, _request: unknown, reply: { readonly raw: ServerResponse }): void => {
    reply.raw
      .writeHead(400, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(bodyOf(message)));
  };
}
