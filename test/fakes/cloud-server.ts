/**
 * An HTTP server for a fake cloud API. Requests need credentials, answers are JSON, and requests can meet faults:
 * refused without effect, carried out with a lost answer, carried out twice, or never answered.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, type ErrorKind } from './api-error.ts';

export type CloudFault =
  /** The request is refused without effect. */
  | { readonly kind: 'error'; readonly error: ErrorKind; readonly message?: string }
  /** The connection breaks before the request is read. */
  | { readonly kind: 'lost-request' }
  /** The request is carried out, and the connection breaks before the answer. */
  | { readonly kind: 'lost-answer' }
  /** The request is carried out, but the answer is an error. */
  | { readonly kind: 'error-after'; readonly error: ErrorKind }
  /** The request is carried out twice, as after a retry in the network; the client gets the second answer. */
  | { readonly kind: 'twice' }
  /** The request is carried out and never answered; the connection stays open. */
  | { readonly kind: 'silence' };

export interface CloudCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface CloudServer {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  /** "METHOD path" of every request so far. */
  readonly requests: readonly string[];
  /** Bodies of POST requests so far, with their URLs. */
  readonly posted: readonly { readonly url: string; readonly body: unknown }[];
  /** Gives the fault to the next request whose "METHOD path" matches. Faults wait in order. */
  inject(request: RegExp, fault: CloudFault): void;
  pendingFaults(): number;
  /** Forgets requests and faults. */
  forget(): void;
  close(): Promise<void>;
}

export async function startCloudServer(
  token: string | null,
  handle: (call: CloudCall) => unknown,
): Promise<CloudServer> {
  const requests: string[] = [];
  const posted: { url: string; body: unknown }[] = [];
  const faults: { request: RegExp; fault: CloudFault }[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const line = `${request.method} ${url.pathname}`;
    requests.push(line);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    if (token !== null && request.headers.authorization !== `Bearer ${token}`)
      throw new ApiError('UNAUTHENTICATED', 'Request is missing required authentication credential.');
    const index = faults.findIndex((entry) => entry.request.test(line));
    const fault = index === -1 ? null : faults.splice(index, 1)[0]!.fault;
    if (fault?.kind === 'lost-request') return void request.socket.destroy();
    if (fault?.kind === 'error') throw new ApiError(fault.error, fault.message ?? 'injected');
    const body: unknown = text === '' ? null : JSON.parse(text);
    if (request.method === 'POST') posted.push({ url: request.url ?? '', body });
    const call = { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, body };
    let result = handle(call);
    if (fault?.kind === 'twice') result = handle(call);
    if (fault?.kind === 'lost-answer') return void request.socket.destroy();
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'error-after') throw new ApiError(fault.error, 'injected after the effect');
    send(response, 200, result);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof ApiError) send(response, error.httpStatus, error.toBody());
      else send(response, 500, { error: { code: 500, message: String(error), status: 'INTERNAL' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    posted,
    inject: (request, fault) => void faults.push({ request, fault }),
    pendingFaults: () => faults.length,
    forget() {
      for (const list of [requests, posted, faults]) list.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'content-length': body.length });
  response.end(body);
}
