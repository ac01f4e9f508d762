/**
 * Requests to one bucket. Authentication, metadata, lists and small uploads use Google's client library, which retries
 * them. Bulk transfers use plain `fetch`, which closes an abandoned connection at once; the library would keep it open
 * and the process alive. Failures are the service's own, with the status as `code`.
 */
import { type Bucket, type File, Storage } from '@google-cloud/storage';
import { z } from 'zod';
import { statusOf } from './gcs-errors.ts';

/** Seconds; pauses double from 1 s up to the longest, so eight retries last about two minutes. */
const RETRY = { autoRetry: true, maxRetries: 8, retryDelayMultiplier: 2, maxRetryDelay: 32, totalTimeout: 600 };
const PAGE_OBJECTS = 1000;

/** The fields of an object's resource that are read here. */
export const resourceSchema = z.object({
  name: z.string(),
  generation: z.coerce.string().regex(/^\d+$/),
  size: z.coerce.number().int().nonnegative(),
  crc32c: z.string(),
  updated: z.coerce.date(),
  metadata: z.record(z.string(), z.string()).default({}),
});
export type GcsResource = z.infer<typeof resourceSchema>;

/** Properties of a new object. With `crc32c` the service refuses corrupted bytes. */
export interface NewObject {
  readonly crc32c?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An answer of the service that is not a success. */
export class GcsStatusError extends Error {
  readonly code: number;
  constructor(status: number, text: string) {
    super(`the service answered ${status}: ${text.slice(0, 500)}`);
    this.code = status;
  }
}

export class GcsClient {
  readonly bucketName: string;
  readonly #bucket: Bucket;
  readonly #storage: Storage;
  readonly #anonymous: boolean;

  /** @param endpoint another server with the same API; `http://` ones get no credentials */
  constructor(bucketName: string, endpoint: string | undefined) {
    this.bucketName = bucketName;
    this.#anonymous = endpoint?.startsWith('http://') ?? false;
    this.#storage = new Storage({
      retryOptions: RETRY,
      ...(endpoint && { apiEndpoint: endpoint, useAuthWithCustomEndpoint: !this.#anonymous }),
      ...(this.#anonymous && { projectId: 'local' }),
    });
    this.#bucket = this.#storage.bucket(bucketName);
  }

  /** The object's resource, or null. */
  async resource(name: string): Promise<GcsResource | null> {
    try {
      return resourceSchema.parse((await this.#bucket.file(name).getMetadata())[0]);
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  /**
   * Sends all bytes in one request, which succeeds only while the object is at the generation (0: it does not exist).
   */
  async save(name: string, bytes: Buffer, object: NewObject, ifGenerationMatch: string | 0): Promise<GcsResource> {
    const file = this.#bucket.file(name);
    const preconditionOpts = { ifGenerationMatch: ifGenerationMatch as number };
    await file.save(bytes, { resumable: false, validation: false, preconditionOpts, metadata: plain(object) });
    return resourceSchema.parse(file.metadata);
  }

  /**
   * Returns the address of a new resumable upload session for an object that does not exist. Anyone who knows the
   * address can upload.
   */
  async openSession(name: string, object: NewObject): Promise<string> {
    const file: File = this.#bucket.file(name);
    const options = { preconditionOpts: { ifGenerationMatch: 0 }, metadata: plain(object) };
    return (await file.createResumableUpload(options))[0];
  }

  /** Yields bytes [start, end) of one generation. */
  async *media(name: string, generation: string, start: number, end: number): AsyncGenerator<Buffer> {
    const path = `/storage/v1/b/${this.bucketName}/o/${encodeURIComponent(name)}`;
    const address = new URL(`${this.#storage.apiEndpoint}${path}?alt=media&generation=${generation}`);
    const headers = this.#anonymous ? new Headers() : await this.#storage.authClient.getRequestHeaders(address);
    headers.set('range', `bytes=${start}-${end - 1}`);
    // The checksum belongs to the bytes as stored, so they must not be decompressed.
    headers.set('accept-encoding', 'identity');
    const abandoned = new AbortController();
    try {
      const response = await fetch(address, { headers, signal: abandoned.signal });
      if (!response.ok || response.body === null) throw new GcsStatusError(response.status, await response.text());
      for await (const piece of response.body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    } finally {
      abandoned.abort();
    }
  }

  /** Yields the resources of all objects whose names have the prefix, in the order of the names, page by page. */
  async *list(prefix: string): AsyncGenerator<GcsResource> {
    let pageToken: string | undefined;
    do {
      const page = { ...(pageToken && { pageToken }), prefix, maxResults: PAGE_OBJECTS, autoPaginate: false };
      const [files, next] = await this.#bucket.getFiles(page);
      for (const file of files) yield resourceSchema.parse(file.metadata);
      pageToken = (next as { pageToken?: string } | null)?.pageToken;
    } while (pageToken !== undefined);
  }

  /** Returns false if there is no such object, or only another generation of it. */
  async remove(name: string, generation: string): Promise<boolean> {
    try {
      await this.#bucket.file(name).delete({ ifGenerationMatch: generation });
      return true;
    } catch (error) {
      if (statusOf(error) === 404 || statusOf(error) === 412) return false;
      throw error;
    }
  }
}

/** The library's types want mutable records. */
function plain(object: NewObject): { crc32c?: string; metadata: Record<string, string> } {
  return { ...object, metadata: { ...object.metadata } };
}
