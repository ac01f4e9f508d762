/**
 * Puts objects into a bucket once: small ones in one request, large ones over a session. The precondition "not there
 * yet" decides between writers, and between a retry and a first try whose answer was lost.
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
  /** For messages. */
  readonly uri: string;
  readonly options: PutOptions;
}

/** Puts what the iterator gives; it is read to its end even where the object is there already, to compare. */
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
 * Puts a file of this machine, read once. The session of a large one is reported to the caller and noted in the user's
 * cache folder until it is done, so that a later process, here or elsewhere, resumes where a killed one stopped.
 * Sessions last a week.
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
    // Everyone who can read the note may write the object, so only the owner may read it. Without it only resuming is lost.
    if (started === null) await writeNote(notePath, token).catch(() => {});
    options.onUpload?.(token);
    const { resource, crc } = await uploadFile(path, session, started?.offset ?? 0, bytes, options);
    await rm(notePath, { force: true });
    if (resource.crc32c === crc.toBase64()) return resource;
    // What an earlier attempt had sent were other bytes, or they were damaged on the way.
    await client.remove(name, resource.generation);
    if (started !== null) return await putFile({ ...target, options: withoutUpload(options) }, path);
    throw damaged(uri, `the service received CRC-32C ${resource.crc32c}, sent was ${crc.toBase64()}; it was removed`);
  } catch (error) {
    // A session that was refused will not do better; one that was interrupted may.
    if (statusOf(error) !== null) await rm(notePath, { force: true });
    if (statusOf(error) !== 412) throw error;
    return compared();
  }
}

const withoutUpload = ({ upload: _, ...others }: PutFileOptions): PutFileOptions => others;

/** Sends what follows the offset. The checksum is of the whole file: what was sent before is read for it too. */
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
  /** After a broken connection some bytes are read again; they are in the checksum. */
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

/** The note that a process of this user left here; undefined where it is missing or cannot be read. */
async function readNote(path: string): Promise<UploadToken | undefined> {
  try {
    return uploadTokenSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The first session that is of an upload of this size to this name and still known, and how far it got; null to begin anew. */
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
    // One that is gone, or refuses, is no loss: the upload begins anew.
    const offset = await askSession(session, null, signal).catch(() => null);
    if (typeof offset === 'number' && offset < expected.bytes) return { session, offset };
  }
  return null;
}

/** The stored object where it has the offered bytes; STP1404 where it has others. */
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
