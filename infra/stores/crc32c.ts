/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum that Google Cloud Storage keeps of every object, computed
 * by the processor's instruction. Node's zlib has only CRC-32.
 */
import { crc32c } from '@node-rs/crc32';

/** Computes checksum and length of bytes that arrive in pieces. */
export class Crc32c {
  #checksum = 0;
  #bytes = 0;

  update(data: Uint8Array): this {
    this.#checksum = crc32c(data, this.#checksum);
    this.#bytes += data.byteLength;
    return this;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Base64 of the four big-endian bytes, as in `ArtifactRef.crc32c`. */
  toBase64(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#checksum);
    return bytes.toString('base64');
  }
}
