/**
 * The service's description of itself: an OpenAPI document, made from the schemas that check requests, and a page that
 * shows it.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import { errorAnswerSchema } from './wire.ts';

/** The same routes as in Kimina's server. */
export const OPENAPI_ROUTE = '/api/openapi.json';
export const DOCS_ROUTE = '/docs';

/** Adds the description of the API. Call it before the routes are added. */
export async function addOpenApi(server: FastifyInstance, asksForKey: boolean): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Lean verification service',
        description: 'Checks Lean 4 sources. The contract of Kimina Lean Server, so that its clients work by URL.',
        version: '1',
      },
      ...(asksForKey
        ? { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }, security: [{ key: [] }] }
        : {}),
    },
  });
  await server.register(swaggerUi, { routePrefix: DOCS_ROUTE });
  server.get(OPENAPI_ROUTE, { schema: { hide: true } }, () => server.swagger());
}

interface RouteDescription {
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Statuses that are answered with `{detail}`. */
  readonly errors?: readonly number[];
}

/** Returns the OpenAPI part of a route. It only describes: handlers check bodies with zod. */
export function describe({ summary, body, answer, errors = [] }: RouteDescription): FastifySchema {
  const error = jsonSchema(errorAnswerSchema, 'output');
  return {
    summary,
    ...(body === undefined ? {} : { body: jsonSchema(body, 'input') }),
    response: { 200: jsonSchema(answer, 'output'), ...Object.fromEntries(errors.map((status) => [status, error])) },
  } as FastifySchema;
}

/** Omits `$schema`, which is not allowed inside a document. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
