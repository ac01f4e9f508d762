/**
 * Vectors in a store: a header of 16 bytes (`STPV`, version, count, length of a vector; unsigned, 32 bits, little-endian)
 * and then the vectors as 32-bit floats, one after the other, little-endian.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

const MAGIC = 'STPV';
const VERSION = 1;
const HEADER_BYTES = 16;
const FLOAT_BYTES = 4;

/**
 * Stores at least one vector, all of one length. A `*` in the name becomes a hash of the vectors, since engines may
 * differ in their last bits.
 */
export async function writeVectors(
  store: ObjectStore,
  name: string,
  vectors: readonly Float32Array[],
  signal: AbortSignal,
): Promise<ArtifactRef> {
  requireLittleEndian();
  const length = vectors[0]!.length;
  const bytes = Buffer.alloc(HEADER_BYTES + vectors.length * length * FLOAT_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32LE(VERSION, 4);
  bytes.writeUInt32LE(vectors.length, 8);
  bytes.writeUInt32LE(length, 12);
  for (const [index, vector] of vectors.entries()) {
    if (vector.length !== length || !vector.every(Number.isFinite))
      throw new StpError(
        'STP1301',
        `embedding ${index} of ${name} is not ${length} finite numbers`,
        'The engine is at fault: see `bin/stp doctor`, then retry the round.',
        { facts: { index, length: vector.length } },
      );
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).copy(
      bytes,
      HEADER_BYTES + index * length * FLOAT_BYTES,
    );
  }
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return store.put(name.replace('*', hash), bytes, { count: vectors.length, signal });
}

/** A vector file on this machine; any range of it can be read. */
export class VectorFile {
  readonly count: number;
  readonly length: number;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, count: number, length: number) {
    this.#file = file;
    this.count = count;
    this.length = length;
  }

  /** Throws STP1402 if the file is not a vector file. Error messages call it `uri`. */
  static async open(path: string, uri: string): Promise<VectorFile> {
    requireLittleEndian();
    const file = await open(path, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
      const { size } = await file.stat();
      const count = header.readUInt32LE(8);
      const length = header.readUInt32LE(12);
      const isVectors =
        bytesRead === HEADER_BYTES &&
        header.toString('latin1', 0, 4) === MAGIC &&
        header.readUInt32LE(4) === VERSION &&
        size === HEADER_BYTES + count * length * FLOAT_BYTES;
      if (isVectors) return new VectorFile(file, count, length);
      throw new StpError(
        'STP1402',
        `${uri} is not a file of vectors (version ${VERSION})`,
        'Remove the object; the step that made it will run again.',
        { facts: { uri } },
      );
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads vectors [start, start + count) into `target`, from its vector `at` on. */
  async read(start: number, count: number, target: Float32Array, at: number): Promise<void> {
    const bytes = count * this.length * FLOAT_BYTES;
    const view = Buffer.from(target.buffer, target.byteOffset + at * this.length * FLOAT_BYTES, bytes);
    let done = 0;
    while (done < bytes) {
      const position = HEADER_BYTES + start * this.length * FLOAT_BYTES + done;
      const { bytesRead } = await this.#file.read(view, done, bytes - done, position);
      if (bytesRead === 0) throw new StpError('STP1402', 'a file of vectors is cut short', 'Retry the round.');
      done += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function requireLittleEndian(): void {
  if (endianness() !== 'LE')
    throw new StpError('STP1405', 'vectors are stored little-endian', 'Run workers on x86-64 or arm64.');
}
