/**
 * An OpenAI-compatible HTTP server over one `Generator`: completions, embeddings, models, health and metrics. It
 * enforces limits, checks keys and implements the API; the engine does the sampling and batches requests.
 */

import { addRequestMetrics, answerUnroutable, BearerKeys, listen, WorkTracker } from '@stp/http';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import {
  ApiError,
  apiErrorOf,
  clientLeft,
  shuttingDown,
  tookTooLong,
  tooManyRequests,
  unauthorised,
} from './api-error.ts';
import { chatHandler, completionsHandler } from './completions.ts';
import { embeddingsHandler } from './embeddings.ts';
import { BODY_BYTES_MAX, RECEIVE_TIMEOUT_MS, type ServeLimits } from './limits.ts';
import { ServeMetrics } from './serve-metrics.ts';
import type { ServedModel } from './served-model.ts';

/** The only route without a key. It says only that the server is up. */
const HEALTH_ROUTE = '/health';

export interface ModelServeOptions {
  readonly model: ServedModel;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Clients' keys; an empty list admits everyone. */
  readonly keys: readonly string[];
  readonly limits: ServeLimits;
  /** Receives failures that clients see only in part. */
  readonly onError: (error: unknown) => void;
}

export interface RunningServer {
  /** `http://host:port`. */
  readonly url: string;
  /** Refuses new requests, finishes open ones within the time limit, and closes. The engine stays open. */
  close(): Promise<void>;
}

/** Throws STP1102 if the port is in use, STP1002 if this machine has no such host. */
export async function startModelServer(options: ModelServeOptions): Promise<RunningServer> {
  const { model, host, limits } = options;
  const metrics = new ServeMetrics();
  const tracker = new WorkTracker({
    ...limits,
    endings: { tooManyRequests, clientLeft, tookTooLong, shuttingDown },
    onChange: (count) => metrics.requestsInFlight.set(count),
  });
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnroutable((status, problem) =>
      new ApiError(status, 'invalid_request_error', problem).toBody(),
    ),
  });
  server.removeContentTypeParser('text/plain');
  let isClosing = false;
  addErrors(server, options.onError);
  addRequestMetrics(server, metrics.requests, metrics.latencySeconds);
  const keys = new BearerKeys(options.keys);
  server.addHook('onRequest', async (request) => {
    if (isClosing) throw shuttingDown();
    if (request.routeOptions.url !== HEALTH_ROUTE && !keys.admits(request.headers.authorization)) throw unauthorised();
  });
  server.get(HEALTH_ROUTE, () => ({ status: 'ok' }));
  server.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()));
  server.get('/v1/models', () => ({ object: 'list', data: model.list() }));
  server.get<{ Params: { id: string } }>('/v1/models/:id', ({ params }) => model.describe(model.nameFor(params.id)));
  server.post('/v1/completions', completionsHandler(model, tracker, metrics, options.onError));
  server.post('/v1/chat/completions', chatHandler(model, tracker, metrics, options.onError));
  server.post('/v1/embeddings', embeddingsHandler(model, tracker, metrics));
  const url = await listen(server, host, options.port);
  return {
    url,
    async close() {
      isClosing = true;
      await tracker.drain();
      await server.close();
      await model.template?.close();
    },
  };
}

function addErrors(server: FastifyInstance, onError: (error: unknown) => void): void {
  const answer = (reply: FastifyReply, error: ApiError) => {
    if (error.retryAfterSeconds !== null) reply.header('retry-after', error.retryAfterSeconds);
    return reply.status(error.status).send(error.toBody());
  };
  server.setErrorHandler((error, _, reply) => answer(reply, apiErrorOf(error, onError)));
  server.setNotFoundHandler(({ method, url }, reply) => {
    const path = url.split('?')[0];
    return answer(reply, new ApiError(404, 'invalid_request_error', `There is no ${method} ${path} here.`));
  });
}
