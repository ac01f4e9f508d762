/**
 * The Lean service over HTTP: Kimina's API, health, metrics, and the OpenAPI description. It enforces limits, checks
 * keys and implements the API; the pool chooses the process for each check.
 */

import { addRequestMetrics, answerUnroutable, BearerKeys, discardBody, listen, WorkTracker } from '@stp/http';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import type { DriverName } from '../runtime/process/driver.ts';
import type { SandboxFacts } from '../runtime/sandbox/sandbox.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { addAxleRoutes } from './axle/axle-routes.ts';
import { addCheckRoutes } from './check-routes.ts';
import { BODY_BYTES_MAX, type LeanServeLimits, RECEIVE_TIMEOUT_MS } from './limits.ts';
import { addOpenApi, DOCS_ROUTE, describe, OPENAPI_ROUTE } from './openapi.ts';
import { type HidePaths, hidePathsOf } from './private-paths.ts';
import { ServeMetrics } from './serve-metrics.ts';
import { ServiceError, serviceErrorOf, unauthorised, unavailable, workEndings } from './service-error.ts';
import { refuseStaleWork } from './stale-project.ts';
import { addVerdictRoutes } from './verdicts/verdict-routes.ts';
import type { VerdictTools } from './verdicts/verdict-tools.ts';
import { environmentAnswerSchema, healthAnswerSchema } from './wire.ts';

/** Routes that need no key. They tell only that the server is up and what it understands. */
const OPEN_ROUTES: ReadonlySet<string> = new Set(['/', '/health', OPENAPI_ROUTE]);

export interface LeanServeOptions {
  /** Closing the server does not close the pool; the caller does. */
  readonly pool: LeanPool;
  readonly environment: LeanEnvironment;
  readonly driver: DriverName;
  readonly sandbox: SandboxFacts;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Keys of clients. An empty list admits everyone. */
  readonly keys: readonly string[];
  readonly limits: LeanServeLimits;
  /** Judges proofs. Missing: the service only checks sources. The caller opens and closes these tools. */
  readonly verdicts?: VerdictTools;
  /** Folders of the service that no answer may name, in addition to those of Lean and of the user. */
  readonly privateFolders: readonly string[];
  /** Called when the environment's project was rebuilt. From then on all work is answered with 503. */
  readonly onStale?: () => void;
  /** Receives errors whose details clients do not see. */
  readonly onError: (error: unknown) => void;
}

export interface RunningLeanServer {
  /** `http://host:port`. */
  readonly url: string;
  /** Stops accepting requests, finishes open ones within the time limit, and closes. */
  close(): Promise<void>;
}

/** Throws STP1102 if the port is in use, STP1002 if this machine does not have the given host. */
export async function startLeanServer(options: LeanServeOptions): Promise<RunningLeanServer> {
  const { pool, limits, onError } = options;
  const metrics = new ServeMetrics(pool);
  const tracker = new WorkTracker({
    ...limits,
    requestTimeoutMs: null,
    endings: workEndings,
    onChange: (count) => metrics.requestsInFlight.set(count),
  });
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: answerUnroutable((_, detail) => ({ detail })),
  });
  server.removeContentTypeParser('text/plain');
  // Route schemas only describe; handlers check bodies with zod.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  let isClosing = false;
  const hidePaths = hidePathsOf(options.environment, options.privateFolders);
  addErrors(server, onError, hidePaths);
  addRequestMetrics(server, metrics.requests, metrics.requestSeconds);
  const keys = new BearerKeys(options.keys);
  server.addHook('onRequest', async (request) => {
    if (isClosing) throw workEndings.shuttingDown();
    const { url = '' } = request.routeOptions;
    const isOpen = OPEN_ROUTES.has(url) || url === DOCS_ROUTE || url.startsWith(`${DOCS_ROUTE}/`);
    if (!isOpen && !keys.admits(request.headers.authorization)) throw unauthorised();
  });
  const { environment, onStale } = options;
  refuseStaleWork(server, { environment, onStale, refusal: (why) => unavailable(hidePaths(why)) });
  await addOpenApi(server, options.keys.length > 0);
  addFactRoutes(server, options, hidePaths);
  server.get('/metrics', { schema: { hide: true } }, async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  const checks = { pool, limits, metrics, hidePaths };
  addCheckRoutes(server, { ...checks, tracker });
  const { verdicts: tools, sandbox } = options;
  if (tools !== undefined) {
    addVerdictRoutes(server, tools, tracker);
    await addAxleRoutes(server, { ...checks, environment, sandbox, tools }, tracker);
  }
  const url = await listen(server, options.host, options.port);
  return {
    url,
    async close() {
      isClosing = true;
      await tracker.drain();
      await server.close();
    },
  };
}

function addFactRoutes(
  server: FastifyInstance,
  { environment, driver, sandbox, pool, limits, verdicts }: LeanServeOptions,
  hidePaths: HidePaths,
): void {
  const health = {
    schema: describe({ summary: 'Whether the server is up', answer: healthAnswerSchema, errors: [503] }),
  };
  for (const route of ['/health', '/']) server.get(route, health, () => ({ status: 'ok' }));
  const facts = { summary: 'Which Lean checks here, and how', answer: environmentAnswerSchema, errors: [401] };
  server.get('/api/environment', { schema: describe(facts) }, () => ({
    lean: hidePaths(environment.version),
    fingerprint: environment.fingerprint,
    driver,
    sandbox: hidePaths(`${sandbox.kind}: ${sandbox.description}`),
    processes: pool.stats().processes,
    timeout_max: limits.timeoutSecondsMax,
    formats: verdicts?.formats ?? [],
  }));
}

function addErrors(server: FastifyInstance, onError: (error: unknown) => void, hidePaths: HidePaths): void {
  const answer = (reply: FastifyReply, error: ServiceError) => {
    if (error.retryAfterSeconds !== null) reply.header('retry-after', error.retryAfterSeconds);
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.status(error.status).send({ detail: error.detail });
  };
  server.setErrorHandler(async (error, request, reply) => {
    const known = serviceErrorOf(error, onError, hidePaths);
    if (known.status === 413) await discardBody(request.raw);
    return answer(reply, known);
  });
  server.setNotFoundHandler(({ method, url }, reply) => {
    const path = url.split('?')[0];
    return answer(reply, new ServiceError(404, `There is no ${method} ${path} here.`));
  });
}
