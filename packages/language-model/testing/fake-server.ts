/** A small HTTP server in place of a model server: it answers as a test tells it and records its requests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  /** `/v1/completions`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** How many requests for the same path and seed came before. */
  readonly before: number;
}

/** Writes the answer, or leaves the client waiting. */
export type Answering = (asked: ReceivedRequest, response: ServerResponse) => void;

export interface FakeServer {
  readonly url: string;
  /** Requests for completions, in the order of arrival. */
  readonly asked: readonly ReceivedRequest[];
  readonly inFlightMost: () => number;
  /** Stops the server: nothing answers at its address from then on. */
  readonly stop: () => void;
}

/** A server that lists `models` and answers other requests by `answer`; gone after the test. */
export async function fakeServer(models: readonly object[], answer: Answering): Promise<FakeServer> {
  const asked: ReceivedRequest[] = [];
  let inFlight = 0;
  let inFlightMost = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/models') {
        sendJson(response, 200, { data: models });
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
      const path = request.url ?? '';
      const before = asked.filter((other) => other.path === path && other.body.seed === body.seed).length;
      const question = { path, headers: request.headers, body, before };
      asked.push(question);
      inFlightMost = Math.max(inFlightMost, ++inFlight);
      response.once('close', () => inFlight--);
      answer(question, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, inFlightMost: () => inFlightMost, stop };
}

export function sendJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** A completion of three tokens that says its seed. */
export function completionOf({ body }: ReceivedRequest): object {
  return {
    choices: [
      {
        index: 0,
        text: `text ${body.seed}`,
        finish_reason: 'stop',
        logprobs: { tokens: ['text', ' ', String(body.seed)], token_logprobs: [-1, -0.5, -0.25], top_logprobs: null },
      },
    ],
  };
}
