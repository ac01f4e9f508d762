/**
 * Serves MCP over streamable HTTP at `/mcp`, with a session for each client, and keys. Without keys it serves this
 * machine only, under this machine's names only, so that no web page can reach it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { answerUnroutable, BearerKeys, isLoopbackHost, listen } from '@stp/http';
import fastify from 'fastify';

const PATH = '/mcp';
const HEALTH = '/health';
const SESSIONS_MAX = 64;
/** A session that is unused for this long ends, ms. */
const IDLE_MS = 3_600_000;
const SWEEP_MS = 60_000;
const RECEIVE_TIMEOUT_MS = 30_000;
const SESSION_HEADER = 'mcp-session-id';

export interface HttpOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Keys of clients. An empty list admits everyone. */
  readonly keys: readonly string[];
  /** Whether to accept requests with any host name. */
  readonly anyHost: boolean;
  readonly bodyBytesMax: number;
  /** Creates a session's server. `signalOf` returns the signal of the request at work, which aborts when its client vanishes. */
  readonly createServer: (signalOf: () => AbortSignal | undefined) => McpServer;
}

interface Session {
  readonly transport: StreamableHTTPServerTransport;
  readonly server: McpServer;
  usedAt: number;
  /** Number of answers in progress, including streams. */
  open: number;
}

export interface RunningHttp {
  /** `http://host:port/mcp`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Throws STP1102 if the port is in use, STP1002 if this machine does not have the given host. */
export async function serveHttp(options: HttpOptions): Promise<RunningHttp> {
  const { keys, anyHost, bodyBytesMax } = options;
  /** The signal of the request that the present work answers. The SDK's transport does not pass it on. */
  const requests = new AsyncLocalStorage<AbortSignal>();
  const sessions = new Map<string, Session>();
  const bearers = new BearerKeys(keys);
  const web = fastify({
    requestTimeout: RECEIVE_TIMEOUT_MS,
    forceCloseConnections: true,
    frameworkErrors: answerUnroutable((_, problem) => refusal(problem)),
  });
  // The transport reads the body itself, up to its limit.
  web.removeAllContentTypeParsers();
  web.addContentTypeParser('*', (_request, _payload, done) => done(null));
  web.get(HEALTH, () => ({ status: 'ok', sessions: sessions.size }));
  web.all(PATH, async (request, reply) => {
    const { headers, raw } = request;
    if (!bearers.admits(headers.authorization))
      return reply
        .status(401)
        .header('www-authenticate', 'Bearer')
        .send(refusal('The key is wrong or missing: send `Authorization: Bearer KEY`.'));
    if (keys.length === 0 && !anyHost && !isLoopbackHost(headers.host))
      return reply
        .status(403)
        .send(refusal('Without keys only this machine is served, under the names of this machine.'));
    const id = headers[SESSION_HEADER];
    if (typeof id === 'string') {
      const session = sessions.get(id);
      if (session === undefined) return reply.status(404).send(refusal('There is no such session: begin a new one.'));
      reply.hijack();
      return handle(session, raw, reply.raw);
    }
    if (sessions.size >= SESSIONS_MAX)
      return reply.status(503).send(refusal(`${SESSIONS_MAX} sessions are open, which is this server's limit.`));
    reply.hijack();
    return handle(await begin(), raw, reply.raw);
  });
  const sweep = setInterval(() => {
    for (const session of sessions.values())
      if (session.open === 0 && performance.now() - session.usedAt > IDLE_MS) void session.server.close();
  }, SWEEP_MS);
  sweep.unref();
  const url = await listen(web, options.host, options.port);
  return {
    url: url + PATH,
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
      await web.close();
    },
  };

  /** A session exists once the client has sent `initialize`. A transport refuses any other first message. */
  async function begin(): Promise<Session> {
    const server = options.createServer(() => requests.getStore());
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: bodyBytesMax,
      onsessioninitialized: (id) => void sessions.set(id, session),
    });
    const session: Session = { transport, server, usedAt: performance.now(), open: 0 };
    await server.connect(transport as Parameters<McpServer['connect']>[0]);
    server.server.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    return session;
  }

  async function handle(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
    session.usedAt = performance.now();
    session.open += 1;
    const vanished = new AbortController();
    response.once('close', () => {
      // No later request can ask for this answer.
      if (!response.writableFinished) vanished.abort(new Error('the client has gone'));
      session.open -= 1;
      session.usedAt = performance.now();
      // The message did not begin a session.
      if (session.transport.sessionId === undefined) void session.server.close();
    });
    await requests.run(vanished.signal, () => session.transport.handleRequest(request, response));
  }
}

const refusal = (message: string) => ({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
