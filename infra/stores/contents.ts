/** Bytes of objects that are written or read: all inputs get one form, and every output's checksum is checked. */
import { createReadStream } from 'node:fs';
import { addAbortSignal, pipeline, Readable, Transform } from 'node:stream';
import { StpError } from '@stp/base';
import type { ArtifactRef } from '@stp/config/records';
import { Crc32c } from './crc32c.ts';
import { checkName } from './names.ts';
import { damaged } from './store-errors.ts';

const PIECE_BYTES = 1 << 20;

/**
 * Yields the pieces of the input; pieces of in-memory data have at most 1 MiB. Throws the signal's reason when it is
 * aborted.
 */
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

/** Returns checksum and length of the rest of the input. */
export async function checksum(input: AsyncIterable<Uint8Array>): Promise<Crc32c> {
  const crc = new Crc32c();
  for await (const piece of input) crc.update(piece);
  return crc;
}

export function checksumOfFile(path: string, signal?: AbortSignal): Promise<Crc32c> {
  return checksum(createReadStream(path, { highWaterMark: PIECE_BYTES, ...(signal && { signal }) }));
}

/**
 * Returns a stream of the same bytes, which fails at its end with STP1402 if the checksum differs from the reference's.
 * Destroying it destroys the input.
 */
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
  // The stream's reader gets the failure.
  pipeline(input, checked, () => {});
  return checked;
}

/** Returns STP1402 if the checksum differs from the reference's, else null. */
function mismatch(crc: Crc32c, ref: ArtifactRef): StpError | null {
  if (crc.bytes !== ref.bytes) return damaged(ref.uri, `${crc.bytes} bytes instead of ${ref.bytes}`);
  const actual = crc.toBase64();
  return actual === ref.crc32c ? null : damaged(ref.uri, `CRC-32C ${actual} instead of ${ref.crc32c}`);
}

/** Reads the rest of a stream into one buffer. */
export async function collect(input: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of input) parts.push(part);
  return Buffer.concat(parts);
}

/** Returns the referenced object's name in the store `root`; throws STP1002 for another store. */
export function nameInStore(root: string, ref: Pick<ArtifactRef, 'uri'>): string {
  if (ref.uri.startsWith(`${root}/`)) return checkName(ref.uri.slice(root.length + 1));
  throw new StpError('STP1002', `${ref.uri} is not in the store ${root}`, 'Open the store named in the reference.', {
    facts: { uri: ref.uri, root },
  });
}
