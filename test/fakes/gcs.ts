/**
 * A small Google Cloud Storage in memory that speaks the JSON API's wire format over HTTP: multipart and resumable
 * uploads, preconditions, checksums, ranged downloads, paged lists. Faults can be injected; objects can be spoiled.
 * It knows one project and no access rights. Behaviour: cloud.google.com/storage/docs/performing-resumable-uploads.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Crc32c } from '../../infra/stores/crc32c.ts';

const CHUNK_UNIT_BYTES = 256 * 1024;

interface FakeObject {
  readonly name: string;
  data: Buffer;
  generation: number;
  crc32c: string;
  updated: Date;
  metadata: Record<string, string>;
}

interface Session {
  readonly bucket: string;
  readonly name: string;
  readonly resource: Resource;
  readonly ifGenerationMatch: string | null;
  /** Received pieces in order; joined when the object is complete. */
  received: Buffer[];
  receivedBytes: number;
  finished: FakeObject | null;
}

export interface FakeGcsOptions {
  /** Address on which it listens; default: the loopback interface, with a free port. */
  readonly host?: string;
  readonly port?: number;
  /** Chooses a fault for each request without an injected one, from "METHOD path" and the client's address. */
  readonly meets?: (line: string, peer: string) => Fault | null;
}

interface Resource {
  readonly crc32c?: string;
  readonly metadata?: Record<string, string>;
}

/** A fault of a request, before or during its answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection breaks after `afterBytes` of the request's body; the earlier bytes count as received. */
  | { readonly kind: 'drop-upload'; readonly afterBytes: number }
  /** After `afterBytes` of the request's body reading stops until `until`; then the connection breaks. */
  | { readonly kind: 'stall-upload'; readonly afterBytes: number; readonly until: Promise<unknown> }
  /** The request is carried out, but its answer is lost. */
  | { readonly kind: 'drop-answer' }
  /** The connection breaks after `afterBytes` of the answer's body. */
  | { readonly kind: 'drop-download'; readonly afterBytes: number }
  /** The answer stops after `afterBytes` of its body, and the connection stays open. */
  | { readonly kind: 'stall-download'; readonly afterBytes: number };

export interface FakeGcs {
  /** `http://HOST:PORT`, for STP_GCS_ENDPOINT. */
  readonly endpoint: string;
  /** Method and path (with query) of every request so far. */
  readonly requests: readonly string[];
  object(bucket: string, name: string): FakeObject | undefined;
  /** Returns the names of all objects of the bucket. */
  names(bucket: string): string[];
  /** Stores an object without a request. */
  seed(bucket: string, name: string, text: string): void;
  /** Gives the fault to the next request whose "METHOD path" matches. Faults wait in order. */
  inject(request: { test(line: string): boolean }, fault: Fault): void;
  /** Makes all open upload sessions expire. */
  forgetSessions(): void;
  /** Returns the names, `bucket/name`, of objects with an unfinished upload session. */
  openSessions(): string[];
  /** Bytes of request bodies and of answer bodies since the start. */
  bytesReceived(): number;
  bytesSent(): number;
  /** Number of requests that are not answered yet. */
  underWay(): number;
  /** Number of faults that no request has met yet. */
  pendingFaults(): number;
  close(): Promise<void>;
}

export async function startFakeGcs(
  buckets: readonly string[],
  { host = '127.0.0.1', port = 0, meets = () => null }: FakeGcsOptions = {},
): Promise<FakeGcs> {
  const stored = new Map(buckets.map((name) => [name, new Map<string, FakeObject>()]));
  const sessions = new Map<string, Session>();
  const faults: { request: { test(line: string): boolean }; fault: Fault }[] = [];
  const requests: string[] = [];
  let [received, sent, underWay] = [0, 0, 0];
  let lastGeneration = 1_700_000_000_000_000;

  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const index = faults.findIndex((entry) => entry.request.test(line));
    const fault = index === -1 ? meets(line, request.socket.remoteAddress ?? '') : faults.splice(index, 1)[0]!.fault;
    underWay += 1;
    answer(request, response, fault)
      .catch((error: unknown) => {
        if (error instanceof Refusal) sendError(response, error.status, error.message);
        else if (!response.destroyed) sendError(response, 500, String(error));
      })
      .finally(() => {
        underWay -= 1;
      });
  });

  async function answer(request: IncomingMessage, response: ServerResponse, fault: Fault | null): Promise<void> {
    if (fault?.kind === 'status') {
      request.resume();
      if (fault.retryAfterSeconds !== undefined) response.setHeader('retry-after', fault.retryAfterSeconds);
      return sendError(response, fault.status, 'injected');
    }
    const url = new URL(request.url ?? '', 'http://fake');
    const { body, cut } = await readBody(request, fault);
    received += body.length;
    const reply = route(request, url, body, cut);
    if (cut || fault?.kind === 'drop-answer') return void request.socket.destroy();
    response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
    if (fault?.kind !== 'drop-download' && fault?.kind !== 'stall-download') {
      sent += reply.body.length;
      return void response.end(reply.body);
    }
    const part = reply.body.subarray(0, fault.afterBytes);
    sent += part.length;
    response.write(part, () => {
      if (fault.kind === 'drop-download') request.socket.destroy();
    });
  }

  function route(request: IncomingMessage, url: URL, body: Buffer, cut: boolean): Reply {
    const session = sessions.get(url.searchParams.get('upload_id') ?? '');
    if (request.method === 'PUT' && session !== undefined) return continueUpload(request, session, body, cut);
    if (request.method === 'PUT' && url.searchParams.has('upload_id'))
      throw new Refusal(410, 'The session has expired.');
    if (cut) return json(200, {});
    const path = /^(?:\/(?:upload|download))?\/storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(url.pathname);
    const bucketName = decodeURIComponent(path?.[1] ?? '');
    const bucket = stored.get(bucketName);
    if (path === null || bucket === undefined) throw new Refusal(404, 'The specified bucket does not exist.');
    if (request.method === 'POST') return beginUpload(request, url, bucketName, body);
    if (path[2] === undefined) return list(bucket, url);
    const name = decodeURIComponent(path[2]);
    const object = bucket.get(name);
    const wanted = url.searchParams.get('generation');
    if (object === undefined || (wanted !== null && wanted !== String(object.generation))) {
      throw new Refusal(404, `No such object: ${bucketName}/${name}`);
    }
    if (request.method === 'DELETE') {
      requireGeneration(url.searchParams.get('ifGenerationMatch'), object);
      bucket.delete(name);
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    }
    return url.searchParams.get('alt') === 'media'
      ? download(request, object)
      : json(200, resource(bucketName, object));
  }

  function beginUpload(request: IncomingMessage, url: URL, bucketName: string, body: Buffer): Reply {
    const name = url.searchParams.get('name') ?? '';
    const ifGenerationMatch = url.searchParams.get('ifGenerationMatch');
    requireGeneration(ifGenerationMatch, stored.get(bucketName)?.get(name));
    if (url.searchParams.get('uploadType') === 'multipart') {
      const [first, second] = multipart(request.headers['content-type'] ?? '', body);
      const session = { bucket: bucketName, name, resource: JSON.parse(String(first)) as Resource, ifGenerationMatch };
      return json(200, resource(bucketName, store(session, second)));
    }
    if (url.searchParams.get('uploadType') === 'media') {
      const plain = { bucket: bucketName, name, resource: {}, ifGenerationMatch };
      return json(200, resource(bucketName, store(plain, body)));
    }
    const id = randomUUID();
    const about = body.length === 0 ? {} : (JSON.parse(body.toString()) as Resource);
    const session = {
      bucket: bucketName,
      name,
      resource: about,
      ifGenerationMatch,
      received: [],
      receivedBytes: 0,
      finished: null,
    };
    sessions.set(id, session);
    const location = `http://${request.headers.host}${url.pathname}?uploadType=resumable&name=${encodeURIComponent(name)}&upload_id=${id}`;
    return { status: 200, headers: { location }, body: Buffer.alloc(0) };
  }

  function continueUpload(request: IncomingMessage, session: Session, body: Buffer, cut: boolean): Reply {
    if (session.finished !== null) return json(200, resource(session.bucket, session.finished));
    const range = /^bytes (?:\*|(\d+)-(\d+|\*))\/(\d+|\*)$/.exec(
      String(request.headers['content-range'] ?? 'bytes 0-*/*'),
    );
    if (range === null) throw new Refusal(400, 'Invalid Content-Range');
    if (range[1] !== undefined) {
      const start = Number(range[1]);
      if (start > session.receivedBytes) throw new Refusal(503, 'a gap before this chunk');
      // After a lost answer a client sends bytes again; those that the session has are skipped.
      let fresh = body.subarray(session.receivedBytes - start);
      const now = session.receivedBytes + fresh.length;
      const complete = range[3] !== '*' && now === Number(range[3]);
      if (!complete) fresh = fresh.subarray(0, Math.max(0, fresh.length - (now % CHUNK_UNIT_BYTES)));
      session.received.push(fresh);
      session.receivedBytes += fresh.length;
    }
    if (!cut && range[3] !== '*' && session.receivedBytes === Number(range[3])) {
      session.finished = store(session, Buffer.concat(session.received.splice(0)));
      return json(200, resource(session.bucket, session.finished));
    }
    const last = session.receivedBytes - 1;
    return { status: 308, headers: last < 0 ? {} : { range: `bytes=0-${last}` }, body: Buffer.alloc(0) };
  }

  function store(
    session: Pick<Session, 'bucket' | 'name' | 'resource' | 'ifGenerationMatch'>,
    data: Buffer,
  ): FakeObject {
    const bucket = stored.get(session.bucket)!;
    requireGeneration(session.ifGenerationMatch, bucket.get(session.name));
    const crc32c = new Crc32c().update(data).toBase64();
    if (session.resource.crc32c !== undefined && session.resource.crc32c !== crc32c) {
      throw new Refusal(
        400,
        `Provided CRC32C "${session.resource.crc32c}" doesn't match calculated CRC32C "${crc32c}".`,
      );
    }
    lastGeneration += 1;
    const object = {
      name: session.name,
      data,
      generation: lastGeneration,
      crc32c,
      updated: new Date(),
      metadata: session.resource.metadata ?? {},
    };
    bucket.set(session.name, object);
    return object;
  }

  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    endpoint: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    object: (bucket, name) => stored.get(bucket)?.get(name),
    names: (bucket) => [...(stored.get(bucket)?.keys() ?? [])],
    seed(bucket, name, text) {
      store({ bucket, name, resource: {}, ifGenerationMatch: null }, Buffer.from(text));
    },
    inject: (request, fault) => void faults.push({ request, fault }),
    forgetSessions: () => sessions.clear(),
    openSessions: () =>
      [...sessions.values()].filter(({ finished }) => finished === null).map(({ bucket, name }) => `${bucket}/${name}`),
    bytesReceived: () => received,
    bytesSent: () => sent,
    underWay: () => underWay,
    pendingFaults: () => faults.length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

function requireGeneration(expected: string | null, object: FakeObject | undefined): void {
  if (expected === null || expected === String(object?.generation ?? 0)) return;
  throw new Refusal(412, 'At least one of the pre-conditions you specified did not hold.');
}

function download(request: IncomingMessage, object: FakeObject): Reply {
  const headers = { 'x-goog-generation': String(object.generation), 'x-goog-hash': `crc32c=${object.crc32c}` };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  if (range === null) return { status: 200, headers, body: object.data };
  const start = Number(range[1]);
  const size = object.data.length;
  if (start >= size) throw new Refusal(416, 'Requested range not satisfiable');
  const body = object.data.subarray(start, range[2] === '' ? size : Number(range[2]) + 1);
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${start + body.length - 1}/${size}` },
    body,
  };
}

function list(bucket: ReadonlyMap<string, FakeObject>, url: URL): Reply {
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = Buffer.from(url.searchParams.get('pageToken') ?? '', 'base64').toString();
  const size = Math.min(Number(url.searchParams.get('maxResults') ?? 1000), 1000);
  const names = [...bucket.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
  const page = names.slice(0, size);
  const nextPageToken = names.length > size ? Buffer.from(page.at(-1)!).toString('base64') : undefined;
  return json(200, {
    kind: 'storage#objects',
    items: page.map((name) => resource('', bucket.get(name)!)),
    nextPageToken,
  });
}

function resource(bucket: string, object: FakeObject): Record<string, unknown> {
  const { name, crc32c, metadata } = object;
  const text = { generation: String(object.generation), size: String(object.data.length), metageneration: '1' };
  return { kind: 'storage#object', bucket, name, crc32c, metadata, updated: object.updated.toISOString(), ...text };
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const reply = json(status, { error: { code: status, message, errors: [{ message, reason: String(status) }] } });
  response.writeHead(reply.status, reply.headers).end(reply.body);
}

/** Reads the body of the request. A dropped or stalled one has only its first bytes, and `cut` is true. */
async function readBody(request: IncomingMessage, fault: Fault | null): Promise<{ body: Buffer; cut: boolean }> {
  const until = fault?.kind === 'stall-upload' ? fault.until : null;
  const bytesMax =
    until !== null || fault?.kind === 'drop-upload'
      ? (fault as { afterBytes: number }).afterBytes
      : Number.POSITIVE_INFINITY;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes < bytesMax) continue;
      await until;
      return { body: Buffer.concat(parts).subarray(0, bytesMax), cut: true };
    }
  } catch {
    // The client disconnected; the received bytes count.
    return { body: Buffer.concat(parts), cut: true };
  }
  return { body: Buffer.concat(parts), cut: false };
}

/** Splits a multipart/related body into metadata and content. */
function multipart(contentType: string, body: Buffer): [Buffer, Buffer] {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) throw new Refusal(400, 'no boundary');
  const parts: Buffer[] = [];
  const mark = Buffer.from(`--${boundary}`);
  for (let at = body.indexOf(mark); at !== -1; ) {
    const next = body.indexOf(mark, at + mark.length);
    if (next === -1) break;
    const part = body.subarray(at + mark.length + 2, next - 2);
    parts.push(part.subarray(part.indexOf('\r\n\r\n') + 4));
    at = next;
  }
  if (parts.length !== 2) throw new Refusal(400, `${parts.length} parts`);
  return [parts[0]!, parts[1]!];
}
