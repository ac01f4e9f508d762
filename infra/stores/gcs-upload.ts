/** One large object to Google Cloud Storage over a resumable session. */
import { once } from 'node:events';
import type { File, FileMetadata } from '@google-cloud/storage';
import type { Crc32c } from './crc32c.ts';

/**
 * A multiple of 256 KiB, as the protocol asks. With a chunk size the client library keeps a chunk until the server has
 * confirmed it and sends it again after a dropped connection; without one the first drop ends the upload.
 */
export const CHUNK_BYTES = 8 << 20;

export interface ChunkUpload {
  readonly metadata: FileMetadata;
  readonly onProgress?: (bytesWritten: number) => void;
}

/**
 * Sends `head` and what is left of `input`, in order, adding the latter to `crc`. Rejects with the service's error; the
 * input is then left where it was.
 */
export async function uploadInChunks(
  file: File,
  head: readonly Buffer[],
  input: AsyncIterator<Buffer>,
  crc: Crc32c,
  options: ChunkUpload,
): Promise<void> {
  const upload = file.createWriteStream({
    resumable: true,
    chunkSize: CHUNK_BYTES,
    validation: false,
    preconditionOpts: { ifGenerationMatch: 0 },
    metadata: options.metadata,
  });
  const finished = once(upload, 'finish');
  // Its failure is looked at below, once the writing has stopped.
  finished.catch(() => {});
  let sent = 0;
  const send = async (piece: Buffer): Promise<void> => {
    sent += piece.length;
    if (!upload.write(piece)) await Promise.race([once(upload, 'drain'), finished]);
    options.onProgress?.(sent);
  };
  try {
    for (const piece of head) await send(piece);
    for (let next = await input.next(); !next.done; next = await input.next()) {
      crc.update(next.value);
      await send(next.value);
    }
    upload.end();
    await finished;
  } catch (error) {
    upload.destroy();
    throw error;
  }
}
