/**
 * The `ObjectStore` port over `file://` folders and `gs://` buckets. Objects are written once and never changed. Names
 * are relative to the store's root, `/`-separated, without `.` or `..` parts.
 */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { ArtifactRef } from './schemas/artifact.ts';

/**
 * An upload in progress: its address and its object. Whoever holds the token may write that object, for a week. An
 * activity puts the token into its heartbeat, and the next attempt resumes the upload, on any machine that has the
 * same bytes. The checksum of the whole object is compared at the end.
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
  /** The token that `onUpload` gave an earlier attempt. It is ignored if it is for another object or other bytes. */
  readonly upload?: UploadToken | undefined;
  /** Called when a resumable upload has begun or was resumed. Stores without resumable uploads never call it. */
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
   * Writes a new object. If an object with the same checksum exists (a retried activity), its reference is returned;
   * with another checksum the call fails with STP1404. A reader never sees half an object.
   */
  put(name: string, data: string | Uint8Array | Readable, options?: PutOptions): Promise<ArtifactRef>;
  /** Writes the contents of a local file, as `put` writes bytes. The upload of a large file can be resumed. */
  putFile(name: string, path: string, options?: PutFileOptions): Promise<ArtifactRef>;
  /** Reads a whole object and checks its checksum first. Throws STP1402 if it is damaged, STP1403 if it is missing. */
  get(ref: ArtifactRef): Promise<Buffer>;
  /** Streams an object. The stream fails at its end with STP1402 if the bytes do not match the reference. */
  stream(ref: ArtifactRef): Promise<Readable>;
  /**
   * Downloads an object to a local file under a temporary name, checks it, then renames it. A later call resumes the
   * download of a killed process. Only one process at a time may download to a path.
   */
  download(ref: ArtifactRef, path: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Returns the reference of the object with this name, or null. The record count comes from the object's metadata. */
  stat(name: string): Promise<ArtifactRef | null>;
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Removes the object if it still has this generation. Returns whether it was removed. */
  remove(ref: Pick<ArtifactRef, 'uri' | 'generation'>): Promise<boolean>;
}
