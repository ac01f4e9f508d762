/**
 * Putting objects into a bucket once: small ones in one request, large ones over a session. The precondition "not
 * there yet" decides between writers, and between a retry and the first try whose answer was lost.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { checksumOfFile, pieces } from './contents.ts';
import { Crc32c } from './crc32c.ts';
import { type GcsClient, type GcsResource, type NewObject, resourceSchema } from './gcs-client.ts';
import { statusOf } from './gcs-errors.ts';
import { askSession, CHUNK_BYTES, inChunks, uploadChunks } from './gcs-upload.ts';
import type { PutOptions } from './object-store.ts';
import { damaged, differs } from './store-errors.ts';

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

const savedSessionSchema = z.strictObject({ uri: z.string(), crc32c: z.string(), bytes: z.number(), session: z.url() });

/**
 * Puts a file of this machine. The session of a large one is noted in the user's cache folder until it is done, so
 * that a later process goes on where a killed one was. Sessions last a week.
 */
export async function putFile(target: PutTarget, path: string): Promise<GcsResource> {
  const { client, name, uri, options } = target;
  const crc = await checksumOfFile(path, options.signal);
  const crc32c = crc.toBase64();
  if (crc.bytes < CHUNK_BYTES) return putInput(target, pieces(createReadStream(path), options.signal));
  if ((await client.resource(name)) !== null) return sameOrFail(target, crc);

  const note = { uri, crc32c, bytes: crc.bytes };
  const notePath = notePathOf(uri);
  const started = await resumable(notePath, note, options.signal);
  try {
    const session = started?.session ?? (await client.openSession(name, { ...describe(options), crc32c }));
    // Whoever reads the note may write the object: it is for the owner only. Without it only resuming is lost.
    if (started === null) await writeNote(notePath, { ...note, session }).catch(() => {});
    const offset = started?.offset ?? 0;
    const rest = pieces(createReadStream(path, { start: offset, highWaterMark: 1 << 20 }), options.signal);
    const { signal, onProgress } = options;
    const resource = await uploadChunks(inChunks(rest), { session, offset, signal, onProgress });
    await rm(notePath, { force: true });
    return resource;
  } catch (error) {
    // A session that was refused will not do better; one that was interrupted may.
    if (statusOf(error) !== null) await rm(notePath, { force: true });
    if (statusOf(error) !== 412) throw error;
    return sameOrFail(target, crc);
  }
}

function notePathOf(uri: string): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'stp', 'uploads', `${createHash('sha256').update(uri).digest('hex').slice(0, 32)}.json`);
}

async function writeNote(path: string, note: z.infer<typeof savedSessionSchema>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, JSON.stringify(note), { mode: 0o600 });
}

/** The session a killed process left for this very upload, and how far it got; null to begin anew. */
async function resumable(
  notePath: string,
  expected: { uri: string; crc32c: string; bytes: number },
  signal: AbortSignal | undefined,
): Promise<{ session: string; offset: number } | null> {
  try {
    const note = savedSessionSchema.parse(JSON.parse(await readFile(notePath, 'utf8')));
    const same = note.uri === expected.uri && note.crc32c === expected.crc32c && note.bytes === expected.bytes;
    if (!same) return null;
    const offset = await askSession(note.session, null, signal);
    return typeof offset === 'number' && offset < expected.bytes ? { session: note.session, offset } : null;
  } catch {
    // No note, not ours, or a session that is gone.
    return null;
  }
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
