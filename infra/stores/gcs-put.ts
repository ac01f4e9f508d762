/**
 * Writes objects into a bucket once: small ones in one request, large ones over a session. The precondition "does not
 * exist" decides between writers, and between a retry and a first attempt whose answer was lost.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type PutFileOptions, type PutOptions, type UploadToken, uploadTokenSchema } from '@stp/config/records';
import { checksumOfFile, pieces } from './contents.ts';
import { Crc32c } from './crc32c.ts';
import { type GcsClient, type GcsResource, type NewObject, resourceSchema } from './gcs-client.ts';
import { statusOf } from './gcs-errors.ts';
import { askSession, CHUNK_BYTES, inChunks, uploadChunks, uploadRest } from './gcs-upload.ts';
import { damaged, differs } from './store-errors.ts';

const READ_BYTES = 1 << 20;

/** Key of the record count in an object's custom metadata. */
export const COUNT_KEY = 'stp-count';

export interface PutTarget {
  readonly client: GcsClient;
  /** Name in the bucket. */
  readonly name: string;
  /** URI for messages. */
  readonly uri: string;
  readonly options: PutOptions;
}

/** Stores the bytes of the iterator. It is read to its end even if the object exists, for comparison. */
export async function putInput(target: PutTarget, input: AsyncIterable<Buffer>): Promise<GcsResource> {
  const { client, name, options } = target;
  const crc = new Crc32c();
  const chunks = inChunks(summed(input, crc))[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (head.length < CHUNK_BYTES) {
      const resource = await client.save(name, head, { ...describe(options), crc32c: crc.toBase64() }, 0);
      options.onProgress?.(crc.bytes);
      return resource;
    }
    const session = await client.openSession(name, describe(options));
    const { signal, onProgress } = options;
    const all = concatenated(head, { [Symbol.asyncIterator]: () => chunks });
    const resource = await uploadChunks(all, { session, offset: 0, signal, onProgress });
    if (resource.crc32c === crc.toBase64()) return resource;
    await client.remove(name, resource.generation);
    throw damaged(
      target.uri,
      `the service received CRC-32C ${resource.crc32c}, sent was ${crc.toBase64()}; it was removed`,
    );
  } catch (error) {
    if (statusOf(error) !== 412) throw error;
    for (let next = await chunks.next(); !next.done; ) next = await chunks.next();
    return sameOrFail(target, crc);
  }
}

/**
 * Stores a local file, read once. The session of a large file is reported to the caller and noted in the user's cache
 * folder until the upload is complete, so a later process, here or elsewhere, resumes it. Sessions last a week.
 */
export async function putFile(
  target: PutTarget & { readonly options: PutFileOptions },
  path: string,
): Promise<GcsResource> {
  const { client, name, uri, options } = target;
  const { size: bytes } = await stat(path);
  if (bytes < CHUNK_BYTES) return putInput(target, pieces(createReadStream(path), options.signal));
  const compared = async (): Promise<GcsResource> => sameOrFail(target, await checksumOfFile(path, options.signal));
  if ((await client.resource(name)) !== null) return compared();

  const note = { uri, bytes };
  const notePath = notePathOf(uri);
  const started = await resumable([options.upload, await readNote(notePath)], note, options.signal);
  try {
    const session = started?.session ?? (await client.openSession(name, describe(options)));
    const token = { ...note, session };
    // Anyone who can read the note may write the object, so only the owner may read it. Without the note only resuming
    // is lost.
    if (started === null) await writeNote(notePath, token).catch(() => {});
    options.onUpload?.(token);
    const { resource, crc } = await uploadFile(path, session, started?.offset ?? 0, bytes, options);
    await rm(notePath, { force: true });
    if (resource.crc32c === crc.toBase64()) return resource;
    // An earlier attempt sent other bytes, or they were corrupted in transit.
    await client.remove(name, resource.generation);
    if (started !== null) return await putFile({ ...target, options: withoutUpload(options) }, path);
    throw damaged(uri, `the service received CRC-32C ${resource.crc32c}, sent was ${crc.toBase64()}; it was removed`);
  } catch (error) {
    // A refused session would be refused again; an interrupted one may continue.
    if (statusOf(error) !== null) await rm(notePath, { force: true });
    if (statusOf(error) !== 412) throw error;
    return compared();
  }
}

const withoutUpload = ({ upload: _, ...others }: PutFileOptions): PutFileOptions => others;

/** Sends the bytes from the offset on. The checksum covers the whole file, so earlier bytes are read too. */
async function uploadFile(
  path: string,
  session: string,
  offset: number,
  total: number,
  { signal, onProgress }: PutFileOptions,
): Promise<{ readonly resource: GcsResource; readonly crc: Crc32c }> {
  const crc = new Crc32c();
  const read = (start: number, end = total): AsyncGenerator<Buffer> =>
    pieces(createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES }), signal);
  if (offset > 0) for await (const piece of read(0, offset)) crc.update(piece);
  /** After a broken connection some bytes are read again; the checksum includes them already. */
  const summed = async function* (start: number): AsyncGenerator<Buffer> {
    let at = start;
    for await (const piece of read(start)) {
      crc.update(piece.subarray(Math.min(piece.length, crc.bytes - at)));
      at += piece.length;
      yield piece;
    }
    if (at < total) throw new Error(`the file ended after ${at} of ${total} bytes`);
  };
  const resource = await uploadRest(summed, total, { session, offset, signal, onProgress });
  return { resource, crc };
}

function notePathOf(uri: string): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'stp', 'uploads', `${createHash('sha256').update(uri).digest('hex').slice(0, 32)}.json`);
}

async function writeNote(path: string, note: UploadToken): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify(note), { mode: 0o600 });
}

/** Reads the note that a process of this user left; undefined if it is missing or unreadable. */
async function readNote(path: string): Promise<UploadToken | undefined> {
  try {
    return uploadTokenSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Returns the first still valid session for an upload of this size to this name, with its offset; null to start over.
 */
async function resumable(
  tokens: readonly (UploadToken | undefined)[],
  expected: Omit<UploadToken, 'session'>,
  signal: AbortSignal | undefined,
): Promise<{ session: string; offset: number } | null> {
  const ours = tokens
    .filter((token) => token !== undefined)
    .filter((token) => {
      return token.uri === expected.uri && token.bytes === expected.bytes;
    });
  for (const session of new Set(ours.map((token) => token.session))) {
    // If the session is gone or refused, the upload starts over.
    const offset = await askSession(session, null, signal).catch(() => null);
    if (typeof offset === 'number' && offset < expected.bytes) return { session, offset };
  }
  return null;
}

/** Returns the stored object if it has the offered bytes; throws STP1404 if it has others. */
async function sameOrFail({ client, name, uri }: PutTarget, offered: Crc32c): Promise<GcsResource> {
  const stored = resourceSchema.parse(await client.resource(name));
  if (stored.crc32c === offered.toBase64() && stored.size === offered.bytes) return stored;
  throw differs(uri, stored.crc32c, offered.toBase64());
}

function describe(options: PutOptions): NewObject {
  return { metadata: { [COUNT_KEY]: String(options.count ?? 1) } };
}

async function* summed(input: AsyncIterable<Buffer>, crc: Crc32c): AsyncGenerator<Buffer> {
  for await (const piece of input) {
    crc.update(piece);
    yield piece;
  }
}

async function* concatenated(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}
