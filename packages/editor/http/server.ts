/**
 * Suggestions over HTTP: llmstep's API on `/`, LeanCopilot's on `/generate` and `/encode`, and `/v2/suggest`, which
 * returns everything that is known. Without keys it serves this machine only, under this machine's names only, so that
 * no web page can reach it.
 */
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { answerUnroutable, BearerKeys, discardBody, isLoopbackHost, listen, WorkTracker } from '@stp/http';
import { refuseStaleWork, type StaleProject } from '@stp/lean-verifier/serve';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Suggester } from '../suggester.ts';
import type { SuggestionRequest } from '../suggestion.ts';
import { BODY_BYTES_MAX, foreignHost, HttpError, httpErrorOf, stale, unauthorised, workEndings } from './http-error.ts';
import {
  encodeSchema,
  engineNamed,
  eventText,
  generateAnswer,
  generateSchema,
  llmstepAnswer,
  llmstepRequest,
  parseBody,
  serverSentEvent,
  suggestAnswer,
  suggestSchema,
} from './wire.ts';

const RECEIVE_TIMEOUT_MS = 30_000;
const DRAIN_MS = 10_000;
const HEALTH_ROUTE = '/health';

export interface SuggestServerOptions {
  /** Closing the server does not close the suggester; the caller does. */
  readonly suggester: Suggester;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Keys of clients. An empty list admits everyone. */
  readonly keys: readonly string[];
  /** Whether to accept requests with any host name. */
  readonly anyHost: boolean;
  /** Further names under which LeanCopilot may address all engines together. */
  readonly modelNames: readonly string[];
  readonly searchSeconds: number;
  readonly requestsInFlight: number;
  readonly requestTimeoutMs: number;
  /** Environment of the Lean that checks suggestions. Missing: it has no project. */
  readonly environment?: StaleProject['environment'];
  /** Called when its project was rebuilt. From then on all work is answered with 503. */
  readonly onStale?: () => void;
  /** Receives errors whose details clients do not see. */
  readonly onError: (error: unknown) => void;
}

export interface RunningSuggestServer {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Throws STP1102 if the port is in use, STP1002 if this machine does not have the given host. */
export async function startSuggestServer(options: SuggestServerOptions): Promise<RunningSuggestServer> {
  const { suggester, requestsInFlight, requestTimeoutMs, onError, keys, anyHost } = options;
  const tracker = new WorkTracker({
    requestsInFlight,
    requestTimeoutMs,
    drainMs: DRAIN_MS,
    endings: workEndings,
    onChange: () => {},
  });
  const server = fastify({
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnroutable((status, message) => ({ error: { status, message } })),
  });
  readStrictJson(server);
  addErrors(server, onError);
  let isClosing = false;
  const bearers = new BearerKeys(keys);
  server.addHook('onRequest', async ({ routeOptions, headers }) => {
    if (isClosing) throw workEndings.shuttingDown();
    if (routeOptions.url === HEALTH_ROUTE) return;
    if (!bearers.admits(headers.authorization)) throw unauthorised();
    if (keys.length === 0 && !anyHost && !isLoopbackHost(headers.host)) throw foreignHost();
  });
  const { environment = {}, onStale } = options;
  refuseStaleWork(server, { environment, onStale, refusal: stale });
  server.get(HEALTH_ROUTE, () => ({ status: 'ok', engines: suggester.engines.map(({ name }) => name) }));

  async function answer<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, end } = tracker.begin(reply.raw);
    try {
      return await work(signal);
    } finally {
      end();
    }
  }

  server.post('/', async ({ body }, reply) =>
    answer(reply, async (signal) => llmstepAnswer(await suggester.suggest(llmstepRequest(body), signal))),
  );
  server.post('/generate', async ({ body }, reply) => {
    const { name, input, prefix } = parseBody(generateSchema, body);
    engineNamed(suggester, name, options.modelNames);
    const request = {
      tacticState: input,
      prefix: prefix ?? '',
      context: '',
      searchSeconds: 0,
      answerSeconds: null,
      all: true,
    };
    return answer(reply, async (signal) => generateAnswer(await suggester.suggest(request, signal)));
  });
  server.post('/encode', async ({ body }, reply) => {
    const { name, input } = parseBody(encodeSchema, body);
    const engine = engineNamed(suggester, name, options.modelNames);
    if (engine.embed === undefined) throw new HttpError(400, `${engine.name} gives no vectors.`);
    return answer(reply, async (signal) => ({ outputs: Array.from(await engine.embed!(input, signal)) }));
  });
  server.post('/v2/suggest', async (request, reply) => {
    const {
      id: given,
      tactic_state: tacticState,
      prefix,
      context,
      search_seconds,
      answer_seconds,
      all,
      stream,
    } = parseBody(suggestSchema, request.body);
    const id = given ?? randomUUID();
    reply.header('x-request-id', id);
    const asked: SuggestionRequest = {
      tacticState: tacticState?.trim() ? tacticState : null,
      prefix,
      context,
      searchSeconds: search_seconds ?? options.searchSeconds,
      answerSeconds: answer_seconds ?? null,
      all,
    };
    const startedAt = performance.now();
    const whole = async (signal: AbortSignal, onEvent?: Parameters<Suggester['suggest']>[2]) =>
      suggestAnswer(id, await suggester.suggest(asked, signal, onEvent), performance.now() - startedAt);
    if (!stream && !request.headers.accept?.includes('text/event-stream'))
      return answer(reply, (signal) => whole(signal));
    const events = new PassThrough();
    const { signal, end } = tracker.begin(reply.raw);
    whole(signal, (event) => events.write(eventText(event)))
      .then(
        (data) => events.end(serverSentEvent('answer', data)),
        (error: unknown) => {
          const { status, message } = httpErrorOf(error, onError);
          events.end(serverSentEvent('error', { id, status, message }));
        },
      )
      .finally(end);
    return reply.type('text/event-stream').header('cache-control', 'no-cache').send(events);
  });
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

/** Accepts only JSON in valid UTF-8: invalid bytes would otherwise be read as another text. */
function readStrictJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer);
    } catch {
      return done(new HttpError(400, 'The body is not UTF-8.'));
    }
    return parse(request, text, done);
  });
}

function addErrors(server: FastifyInstance, onError: (error: unknown) => void): void {
  server.setErrorHandler(async (error, request, reply) => {
    const known = httpErrorOf(error, onError);
    if (known.status === 413) await discardBody(request.raw);
    if (known.retryAfterSeconds !== null) reply.header('retry-after', known.retryAfterSeconds);
    return reply.status(known.status).send(errorBody(request, known));
  });
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0];
    return reply
      .status(404)
      .send(errorBody(request, new HttpError(404, `There is no ${request.method} ${path} here.`)));
  });
}

/** Returns an error's body in the format of each API: llmstep's field, FastAPI's `detail`, or ours. */
function errorBody({ routeOptions: { url } }: FastifyRequest, { status, message }: HttpError): object {
  if (url === '/generate' || url === '/encode') return { detail: message };
  return url === '/' ? { error: message } : { error: { status, message } };
}
