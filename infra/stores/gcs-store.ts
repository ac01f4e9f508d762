/**
 * The `ObjectStore` port over a bucket of Google Cloud Storage. Objects are put with the precondition "not there yet",
 * which also lets the client library retry; large ones go up in chunks, so that a dropped connection costs one chunk.
 * Checksums are computed here and compared with the server's: it rejects what it did not receive as sent.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, type File, type FileMetadata, Storage } from '@google-cloud/storage';
import type { ArtifactRef } from '../../data/schemas/artifact.ts';
import {
  checkedStream,
  checksumOfFile,
  collect,
  nameInStore,
  pieces,
  requirePointerText,
  requireRange,
} from './contents.ts';
import { Crc32c } from './crc32c.ts';
import { saveAs } from './file-objects.ts';
import { gcsError, isTransient, statusOf } from './gcs-errors.ts';
import { CHUNK_BYTES, uploadInChunks } from './gcs-upload.ts';
import { checkName, checkPrefix } from './names.ts';
import type { ObjectStore, PutOptions } from './object-store.ts';
import { cannotRead, damaged, differs, moved } from './store-errors.ts';

/** Seconds; the library doubles its pauses from 1 s up to the longest, so eight attempts last about two minutes. */
const RETRY = { autoRetry: true, maxRetries: 8, retryDelayMultiplier: 2, maxRetryDelay: 32, totalTimeout: 600 };
const READ_ATTEMPTS = 5;
const READ_PAUSE_MS = 500;
const PAGE_OBJECTS = 1000;
/** Custom metadata keys. */
const COUNT = 'stp-count';
const POINTER = 'stp-pointer';

/** A store under `gs://bucket/prefix`. `endpoint` is another server with the GCS API; `http://` ones get no credentials. */
export async function openGcsStore(bucketName: string, prefix: string, endpoint?: string): Promise<ObjectStore> {
  const storage = new Storage({
    retryOptions: RETRY,
    ...(endpoint && { apiEndpoint: endpoint, useAuthWithCustomEndpoint: endpoint.startsWith('https://') }),
    ...(endpoint?.startsWith('http://') && { projectId: 'local' }),
  });
  return gcsStore(storage.bucket(bucketName), prefix);
}

function gcsStore(bucket: Bucket, prefix: string): ObjectStore {
  const root = prefix === '' ? `gs://${bucket.name}` : `gs://${bucket.name}/${prefix}`;
  const inBucket = (name: string): string => (prefix === '' ? name : `${prefix}/${name}`);
  const uriOf = (name: string): string => `${root}/${name}`;
  const pinned = (ref: ArtifactRef): File =>
    bucket.file(inBucket(nameInStore(root, ref)), { generation: ref.generation });

  async function metadataOf(file: File): Promise<FileMetadata | null> {
    try {
      return (await file.getMetadata())[0];
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  async function stat(name: string): Promise<ArtifactRef | null> {
    const metadata = await metadataOf(bucket.file(inBucket(name)));
    return metadata === null ? null : refOf(uriOf(name), metadata);
  }

  /** The stored object where it has the offered bytes; STP1404 where it has others. */
  function sameOrFail(stored: ArtifactRef, offered: Crc32c): ArtifactRef {
    if (stored.crc32c === offered.toBase64() && stored.bytes === offered.bytes) return stored;
    throw differs(stored.uri, stored.crc32c, offered.toBase64());
  }

  /** `known` is the checksum where the caller has read the bytes once before: then the server checks it. */
  async function write(
    name: string,
    data: string | Uint8Array | Readable,
    options: PutOptions,
    known?: Crc32c,
  ): Promise<ArtifactRef> {
    const file = bucket.file(inBucket(name));
    const input = pieces(data, options.signal)[Symbol.asyncIterator]();
    const head: Buffer[] = [];
    const crc = new Crc32c();
    let ended = false;
    while (!ended && crc.bytes < CHUNK_BYTES) {
      const next = await input.next();
      ended = next.done === true;
      if (!next.done) {
        head.push(next.value);
        crc.update(next.value);
      }
    }
    const custom = { [COUNT]: String(options.count ?? 1) };
    try {
      if (ended) {
        // It has one chunk at most: one request, checked by the server before the object exists.
        await file.save(Buffer.concat(head), {
          resumable: false,
          validation: false,
          preconditionOpts: { ifGenerationMatch: 0 },
          metadata: { crc32c: crc.toBase64(), metadata: custom },
        });
        options.onProgress?.(crc.bytes);
      } else {
        const stored = await stat(name);
        if (stored !== null) return sameOrFail(stored, known ?? (await rest(input, crc)));
        await uploadInChunks(file, head, input, crc, {
          metadata: { ...(known && { crc32c: known.toBase64() }), metadata: custom },
          ...(options.onProgress && { onProgress: options.onProgress }),
        });
      }
    } catch (error) {
      if (statusOf(error) !== 412) throw error;
      // It was there, or another process was first, or our own success was not heard of and tried again.
      const stored = await stat(name);
      if (stored === null) throw error;
      return sameOrFail(stored, known ?? (await rest(input, crc)));
    }
    const ref = refOf(uriOf(name), file.metadata);
    if (ref.crc32c === crc.toBase64() && ref.bytes === crc.bytes) return ref;
    await file.delete({ ifGenerationMatch: ref.generation }).catch(() => {});
    throw damaged(ref.uri, `the server received CRC-32C ${ref.crc32c}, sent was ${crc.toBase64()}; it was removed`);
  }

  async function put(
    name: string,
    data: string | Uint8Array | Readable,
    options: PutOptions = {},
    known?: Crc32c,
  ): Promise<ArtifactRef> {
    try {
      checkName(name);
      options.signal?.throwIfAborted();
      return await write(name, data, options, known);
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : gcsError('STP1401', uriOf(name), error);
    } finally {
      if (data instanceof Readable) data.destroy();
    }
  }

  /** Bytes [start, end), picked up where a dropped connection left them. */
  async function* read(ref: ArtifactRef, start: number, end: number): AsyncGenerator<Buffer> {
    const file = pinned(ref);
    let at = start;
    let attempt = 1;
    try {
      // Nothing to read says nothing about the object being there.
      if (start === end) await file.getMetadata();
      while (at < end) {
        try {
          for await (const piece of file.createReadStream({
            start: at,
            end: end - 1,
            validation: false,
            decompress: false,
          })) {
            at += piece.length;
            attempt = 1;
            yield piece;
          }
          if (at < end) throw damaged(ref.uri, `it ends after ${at} of ${ref.bytes} bytes`);
        } catch (error) {
          if (statusOf(error) === 416) throw damaged(ref.uri, `it has no byte ${at} of ${ref.bytes}`);
          if (!isTransient(error) || attempt === READ_ATTEMPTS) throw error;
          await sleep(READ_PAUSE_MS * 2 ** (attempt - 1));
          attempt += 1;
        }
      }
    } catch (error) {
      throw gcsError('STP1405', ref.uri, error);
    }
  }

  async function stream(ref: ArtifactRef): Promise<Readable> {
    return checkedStream(Readable.from(read(ref, 0, ref.bytes), { objectMode: false }), ref);
  }

  async function readPointer(name: string): Promise<{ text: string; generation: string } | null> {
    // The text and its generation come in two requests; a move between them makes the second one 404.
    for (;;) {
      const metadata = await metadataOf(bucket.file(inBucket(name)));
      if (metadata === null) return null;
      const generation = String(metadata.generation);
      try {
        const [text] = await bucket.file(inBucket(name), { generation }).download({ validation: false });
        return { text: text.toString(), generation };
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
      }
    }
  }

  return {
    root,
    stream,
    put: (name, data, options) => put(name, data, options),
    async putFile(name, path, options) {
      const known = await checksumOfFile(path, options?.signal).catch((error) => {
        throw options?.signal?.aborted ? options.signal.reason : cannotRead(path, error);
      });
      return put(name, createReadStream(path, { highWaterMark: 1 << 20 }), options, known);
    },
    async get(ref) {
      return collect(await stream(ref));
    },
    async range(ref, start, end) {
      requireRange(ref, start, end);
      return collect(read(ref, start, end));
    },
    async download(ref, path) {
      await saveAs(path, await stream(ref));
    },
    async stat(name) {
      checkName(name);
      return stat(name).catch((error) => {
        throw gcsError('STP1405', uriOf(name), error);
      });
    },
    async *list(wanted) {
      const query = { prefix: inBucket(checkPrefix(wanted)), maxResults: PAGE_OBJECTS, autoPaginate: false };
      let pageToken: string | undefined;
      do {
        const [files, next] = await bucket.getFiles({ ...query, ...(pageToken && { pageToken }) }).catch((error) => {
          throw gcsError('STP1405', `${root}/${wanted}`, error);
        });
        for (const { name, metadata } of files) {
          if (metadata.metadata?.[POINTER] !== undefined) continue;
          const { bytes, generation, crc32c } = refOf(`gs://${bucket.name}/${name}`, metadata);
          const shortName = name.slice(inBucket('').length);
          yield { name: shortName, bytes, generation, crc32c, updated: new Date(metadata.updated ?? 0) };
        }
        pageToken = (next as { pageToken?: string } | null)?.pageToken;
      } while (pageToken !== undefined);
    },
    async readPointer(name) {
      checkName(name);
      return readPointer(name).catch((error) => {
        throw gcsError('STP1405', uriOf(name), error);
      });
    },
    async movePointer(name, text, expected) {
      requirePointerText(checkName(name), text);
      const file = bucket.file(inBucket(name));
      try {
        await file.save(text, {
          resumable: false,
          validation: false,
          preconditionOpts: { ifGenerationMatch: expected ?? 0 },
          metadata: { cacheControl: 'no-store', metadata: { [POINTER]: '1' } },
        });
        return String(file.metadata.generation);
      } catch (error) {
        if (statusOf(error) !== 412) throw gcsError('STP1401', uriOf(name), error);
      }
      const now = await readPointer(name);
      // A move whose answer was lost is made again: what it wanted is so already.
      if (now !== null && now.text === text) return now.generation;
      throw moved(uriOf(name), expected, now?.generation ?? null);
    },
  };
}

function refOf(uri: string, metadata: FileMetadata): ArtifactRef {
  return {
    uri,
    generation: String(metadata.generation),
    crc32c: metadata.crc32c ?? '',
    bytes: Number(metadata.size),
    count: Number(metadata.metadata?.[COUNT] ?? 1),
  };
}

/** The checksum once everything that is left has been read too. */
async function rest(input: AsyncIterator<Buffer>, crc: Crc32c): Promise<Crc32c> {
  for (let next = await input.next(); !next.done; next = await input.next()) crc.update(next.value);
  return crc;
}
