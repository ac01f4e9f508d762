/**
 * Large objects to Google Cloud Storage over a resumable session: chunk by chunk, each kept until the service has
 * confirmed it. After a failure the service is asked how far it got, and the upload goes on from there; so it does in
 * another process that knows the session. (cloud.google.com/storage/docs/performing-resumable-uploads)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type GcsResource, GcsStatusError, resourceSchema } from './gcs-client.ts';
import { isTransient } from './gcs-errors.ts';

/** A multiple of 256 KiB, as the protocol asks; two are held in memory. */
export const CHUNK_BYTES = 8 << 20;
const ATTEMPTS = 8;
const PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
/** "Resume incomplete" in this protocol. */
const INCOMPLETE = 308;

export interface SessionUpload {
  /** Address of the session. */
  readonly session: string;
  /** Bytes that the service has already; `chunks` go on from there. */
  readonly offset: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes the service has confirmed. */
  readonly onProgress?: ((bytesWritten: number) => void) | undefined;
}

/** How far a session is: bytes confirmed, or the finished object. `total` also finishes a session that has all bytes. */
export async function askSession(
  session: string,
  total: number | null,
  signal?: AbortSignal,
): Promise<number | GcsResource> {
  return request(session, `bytes */${total ?? '*'}`, null, signal);
}

/** Sends the chunks and resolves with the finished object. Rejects with the service's last failure. */
export async function uploadChunks(chunks: AsyncIterable<Buffer>, upload: SessionUpload): Promise<GcsResource> {
  let at = upload.offset;
  let held: Buffer = Buffer.alloc(0);
  // One behind: only the last chunk says how long the object is.
  for await (const chunk of chunks) {
    if (held.length > 0) {
      const finished = await sendChunk(held, at, false, upload);
      if (finished !== null) return finished;
      at += held.length;
    }
    held = chunk;
  }
  const finished = await sendChunk(held, at, true, upload);
  if (finished === null) throw new Error('the session has every byte and is not finished');
  return finished;
}

async function sendChunk(chunk: Buffer, at: number, last: boolean, upload: SessionUpload): Promise<GcsResource | null> {
  const end = at + chunk.length;
  const total = last ? end : null;
  let confirmed = at;
  let unsure = false;
  for (let attempt = 1; ; ) {
    try {
      const range = `bytes ${confirmed}-${end - 1}/${total ?? '*'}`;
      const answer =
        unsure || confirmed === end
          ? await askSession(upload.session, total, upload.signal)
          : await request(upload.session, range, chunk.subarray(confirmed - at), upload.signal);
      if (typeof answer !== 'number') {
        upload.onProgress?.(end);
        return answer;
      }
      if (answer < at || answer > end) throw new Error(`the session has ${answer} bytes, expected ${at} to ${end}`);
      if (answer > confirmed) attempt = 1;
      unsure = false;
      confirmed = answer;
      upload.onProgress?.(confirmed);
      if (confirmed === end && !last) return null;
    } catch (error) {
      upload.signal?.throwIfAborted();
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
      await sleep(Math.min(PAUSE_MS * 2 ** (attempt - 1), PAUSE_MS_MAX), undefined, {
        ...(upload.signal && { signal: upload.signal }),
      });
      unsure = true;
      attempt += 1;
    }
  }
}

async function request(
  session: string,
  contentRange: string,
  body: Buffer | null,
  signal: AbortSignal | undefined,
): Promise<number | GcsResource> {
  const response = await fetch(session, {
    method: 'PUT',
    // The session's address stands for the right to write; it needs no other credentials.
    headers: { 'content-range': contentRange },
    body: new Uint8Array(body ?? Buffer.alloc(0)),
    // A 308 of this protocol redirects nowhere.
    redirect: 'manual',
    signal: signal ?? null,
  });
  const text = await response.text();
  if (response.status === INCOMPLETE) {
    const range = /^bytes=0-(\d+)$/.exec(response.headers.get('range') ?? '');
    return range === null ? 0 : Number(range[1]) + 1;
  }
  if (!response.ok) throw new GcsStatusError(response.status, text);
  return resourceSchema.parse(JSON.parse(text));
}

/** The input in pieces of exactly `CHUNK_BYTES`, the last one shorter. */
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
