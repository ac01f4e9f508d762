/**
 * The `ObjectStore` port over `file://` folders and `gs://` buckets. Objects are put once and never change. Names are
 * relative to the store's root, `/`-separated, without `.` or `..` parts.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { ArtifactRef } from './schemas/artifact.ts';

/**
 * An upload in progress: its address and its object. Every holder of the token may write that one object, for a week.
 * It goes into a heartbeat so that the next attempt resumes the upload, on any machine that has the same bytes (the
 * checksum of the whole is compared at the end).
 */
export const uploadTokenSchema = z.strictObject({
  uri: z.string().max(2_048),
  bytes: z.number().int().nonnegative(),
  session: z.url().max(4_096),
});
export type UploadToken = z.infer<typeof uploadTokenSchema>;

export interface PutOptions {
  /** Records in the object (JSON Lines); default 1. */
  readonly count?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytesWritten: number) => void;
}

export interface PutFileOptions extends PutOptions {
  /** The token that `onUpload` gave an earlier attempt. It is not used for another object, or for other bytes. */
  readonly upload?: UploadToken | undefined;
  /** Called when a resumable upload has begun or was resumed. Stores without such uploads never call it. */
  readonly onUpload?: (token: UploadToken) => void;
}

export interface ObjectInfo {
  readonly name: string;
  readonly bytes: number;
  readonly generation: string;
  readonly crc32c: string;
  readonly updated: Date;
}

export interface ObjectStore {
  /** `file:///abs/path` or `gs://bucket/prefix`, no trailing slash. */
  readonly root: string;
  /**
   * Writes an object that is not there yet. Where it is there with the same checksum, that one is returned (a retried
   * activity); with another checksum the call fails with STP1404. A reader never sees half an object.
   */
  put(name: string, data: string | Uint8Array | Readable, options?: PutOptions): Promise<ArtifactRef>;
  /** Puts a file of this machine as `put` puts bytes. The upload of a large file can be resumed. */
  putFile(name: string, path: string, options?: PutFileOptions): Promise<ArtifactRef>;
  /** Whole object, checksum checked before it is returned (STP1402 when damaged, STP1403 when missing). */
  get(ref: ArtifactRef): Promise<Buffer>;
  /** Stream; fails at its end with STP1402 when the bytes do not match the reference. */
  stream(ref: ArtifactRef): Promise<Readable>;
  /**
   * Downloads an object to a local file under a temporary name, checks it, then renames it. A download of a killed process is
   * resumed. One process at a time may download to a path.
   */
  download(ref: ArtifactRef, path: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Returns what is known of a name, or null. Reads the record count back from metadata. */
  stat(name: string): Promise<ArtifactRef | null>;
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Removes this very object; one that is gone already, or is another by now, is left alone. True where it was removed. */
  remove(ref: Pick<ArtifactRef, 'uri' | 'generation'>): Promise<boolean>;
}
