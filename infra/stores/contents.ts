/** Bytes on their way into and out of a store: one shape for every input, checksums checked on every output. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, Readable, Transform } from 'node:stream';
import { StpError } from '@stp/base';
import type { ArtifactRef } from '@stp/config/records';
import { Crc32c } from './crc32c.ts';
import { checkName } from './names.ts';
import { damaged } from './store-errors.ts';

const PIECE_BYTES = 1 << 20;

/** Pieces of the input, at most 1 MiB each of in-memory data; ends with the signal's reason when that is aborted. */
export async function* pieces(
  data: string | Uint8Array | Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  if (data instanceof Readable) {
    if (signal !== undefined) addAbortSignal(signal, data);
    try {
      for await (const chunk of data) yield asBuffer(chunk);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
    return;
  }
  const bytes = asBuffer(data);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    signal?.throwIfAborted();
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

export function asBuffer(data: string | Uint8Array): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** Checksum and length of everything that is left in the input. */
export async function checksum(input: AsyncIterable<Uint8Array>): Promise<Crc32c> {
  const crc = new Crc32c();
  for await (const piece of input) crc.update(piece);
  return crc;
}

export function checksumOfFile(path: string, signal?: AbortSignal): Promise<Crc32c> {
  return checksum(createReadStream(path, { highWaterMark: PIECE_BYTES, ...(signal && { signal }) }));
}

/** The same bytes; the stream fails at its end with STP1402 when they are not the reference's. Ending it ends the input. */
export function checkedStream(input: Readable, ref: ArtifactRef): Readable {
  const crc = new Crc32c();
  const checked = new Transform({
    transform(piece: Buffer, _encoding, done) {
      crc.update(piece);
      done(crc.bytes > ref.bytes ? damaged(ref.uri, `more than ${ref.bytes} bytes`) : null, piece);
    },
    flush(done) {
      done(mismatch(crc, ref));
    },
  });
  // The reader of the stream gets the failure.
  pipeline(input, checked, () => {});
  return checked;
}

/** STP1402 when the checksum is not the reference's, else null. */
function mismatch(crc: Crc32c, ref: ArtifactRef): StpError | null {
  if (crc.bytes !== ref.bytes) return damaged(ref.uri, `${crc.bytes} bytes instead of ${ref.bytes}`);
  const actual = crc.toBase64();
  return actual === ref.crc32c ? null : damaged(ref.uri, `CRC-32C ${actual} instead of ${ref.crc32c}`);
}

/** Everything a stream has left, in one buffer. */
export async function collect(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of input) parts.push(part);
  return Buffer.concat(parts);
}

/** Name of the referenced object in the store `root`; STP1002 when it is of another store. */
export function nameInStore(root: string, ref: Pick<ArtifactRef, 'uri'>): string {
  if (ref.uri.startsWith(`${root}/`)) return checkName(ref.uri.slice(root.length + 1));
  throw new StpError('STP1002', `${ref.uri} is not in the store ${root}`, 'Open the store named in the reference.', {
    facts: { uri: ref.uri, root },
  });
}
