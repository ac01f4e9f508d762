/**
 * Uploads large objects to Google Cloud Storage over a resumable session: a file in one request, at the connection's
 * speed; content that can be read only once in chunks, each kept until the service has confirmed it. After a failure it
 * asks the service for its position and resumes there, also in another process that knows the session.
 * (cloud.google.com/storage/docs/performing-resumable-uploads)
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request as send } from 'undici';
import { type GcsResource, GcsStatusError, resourceSchema } from './gcs-client.ts';
import { isTransient } from './gcs-errors.ts';

/** A multiple of 256 KiB, as the protocol requires. Two are in memory: one in transit and one being read. */
export const CHUNK_BYTES = 8 << 20;
const ATTEMPTS = 8;
const PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
/** The service answers within seconds, so a connection that is silent for this time is dead. */
const SILENCE_MS_MAX = 120_000;
/** An object's resource is some kilobytes. */
const ANSWER_BYTES_MAX = 1 << 20;
/** "Resume incomplete" in this protocol. */
const INCOMPLETE = 308;

export interface SessionUpload {
  /** Address of the session. */
  readonly session: string;
  /** Number of bytes that the service already has; the upload resumes there. */
  readonly offset: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes sent. */
  readonly onProgress?: ((bytesWritten: number) => void) | undefined;
}

/** Body of a request: bytes [start, end) of the object, in memory or read while they are sent. */
interface Body {
  readonly start: number;
  readonly end: number;
  readonly content: Buffer | AsyncIterable<Buffer>;
}

/**
 * Asks for the state of a session: the number of confirmed bytes, or the finished object. `total` also finishes a
 * session that has all bytes.
 */
export async function askSession(
  session: string,
  total: number | null,
  signal?: AbortSignal,
): Promise<number | GcsResource> {
  const nothing = { start: 0, end: 0, content: Buffer.alloc(0) };
  return request(session, `bytes */${total ?? '*'}`, nothing, signal);
}

/**
 * Sends the bytes of `read(start)`, the rest of an object of `total` bytes, and resolves with the finished object.
 * Rejects with the service's last failure, or that of reading.
 */
export async function uploadRest(
  read: (start: number) => AsyncIterable<Buffer>,
  total: number,
  upload: SessionUpload,
): Promise<GcsResource> {
  const content = (start: number): AsyncIterable<Buffer> => counted(read(start), start, upload.onProgress);
  return finished(await sendAll(content, { start: upload.offset, end: total, isLast: true }, upload));
}

async function* counted(
  input: AsyncIterable<Buffer>,
  start: number,
  onProgress: SessionUpload['onProgress'],
): AsyncGenerator<Buffer> {
  let at = start;
  for await (const piece of input) {
    yield piece;
    at += piece.length;
    onProgress?.(at);
  }
}

/** Sends the chunks and resolves with the finished object. Rejects with the service's last failure. */
export async function uploadChunks(chunks: AsyncIterable<Buffer>, upload: SessionUpload): Promise<GcsResource> {
  const input = chunks[Symbol.asyncIterator]();
  let at = upload.offset;
  try {
    for (let current = await input.next(); ; ) {
      const chunk: Buffer = current.done ? Buffer.alloc(0) : current.value;
      // The next chunk is read while this one is in transit; its failure is thrown where it is awaited.
      const reading = current.done ? Promise.resolve(current) : input.next();
      reading.catch(() => {});
      const [start, end] = [at, at + chunk.length];
      // Only the last chunk states the length of the object, so the next one is read first.
      const isLast = (await reading).done === true;
      const answer = await sendAll((from) => chunk.subarray(from - start), { start, end, isLast }, upload);
      upload.onProgress?.(end);
      if (isLast) return finished(answer);
      at = end;
      current = await reading;
    }
  } finally {
    await input.return?.();
  }
}

function finished(answer: GcsResource | null): GcsResource {
  if (answer === null) throw new Error('the session has every byte and is not finished');
  return answer;
}

/** Sends bytes [start, end) until the service has them; it returns the finished object if they are its last. */
async function sendAll(
  content: (from: number) => Body['content'],
  { start, end, isLast }: { readonly start: number; readonly end: number; readonly isLast: boolean },
  { session, signal }: SessionUpload,
): Promise<GcsResource | null> {
  const total = isLast ? end : null;
  let confirmed = start;
  let unsure = false;
  for (let attempt = 1; ; ) {
    try {
      const answer =
        unsure || confirmed === end
          ? await askSession(session, total, signal)
          : await request(
              session,
              `bytes ${confirmed}-${end - 1}/${total ?? '*'}`,
              { start: confirmed, end, content: content(confirmed) },
              signal,
            );
      if (typeof answer !== 'number') return answer;
      if (answer < start || answer > end)
        throw new Error(`the session has ${answer} bytes, expected ${start} to ${end}`);
      if (answer > confirmed) attempt = 1;
      unsure = false;
      confirmed = answer;
      if (confirmed === end) return null;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
      await sleep(Math.min(PAUSE_MS * 2 ** (attempt - 1), PAUSE_MS_MAX), undefined, { ...(signal && { signal }) });
      unsure = true;
      attempt += 1;
    }
  }
}

async function request(
  session: string,
  contentRange: string,
  { start, end, content }: Body,
  signal: AbortSignal | undefined,
): Promise<number | GcsResource> {
  const answer = await send(session, {
    method: 'PUT',
    // Knowing the session's address is the right to write; no other credentials are needed.
    headers: { 'content-range': contentRange, 'content-length': String(end - start) },
    body: Buffer.isBuffer(content) ? content : Readable.from(content),
    headersTimeout: SILENCE_MS_MAX,
    bodyTimeout: SILENCE_MS_MAX,
    signal: signal ?? null,
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`an answer of more than ${ANSWER_BYTES_MAX} bytes`);
    parts.push(part);
  }
  const { statusCode: status, headers } = answer;
  const text = Buffer.concat(parts).toString();
  if (status === INCOMPLETE) {
    const received = /^bytes=0-(\d+)$/.exec(String(headers.range ?? ''));
    return received === null ? 0 : Number(received[1]) + 1;
  }
  if (status < 200 || status > 299) throw new GcsStatusError(status, text);
  return resourceSchema.parse(JSON.parse(text));
}

/** Cuts the input into pieces of exactly `CHUNK_BYTES`; the last one may be shorter. */
export async function* inChunks(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + CHUNK_BYTES - bytes);
      parts.push(part);
      bytes += part.length;
      from += part.length;
      if (bytes === CHUNK_BYTES) {
        yield Buffer.concat(parts);
        parts = [];
        bytes = 0;
      }
    }
  }
  if (bytes > 0) yield Buffer.concat(parts);
}
