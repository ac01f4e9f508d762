/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum Google Cloud Storage keeps of every object. Node's zlib has
 * the other CRC-32 only. Eight bytes a step with eight tables ("slicing-by-8", Kounavis and Berry 2005).
 */

const POLYNOMIAL_REFLECTED = 0x82f63b78;

const TABLES: readonly Int32Array[] = makeTables();

function makeTables(): Int32Array[] {
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL_REFLECTED : remainder >>> 1;
    }
    first[byte] = remainder;
  }
  const tables = [first];
  for (let shift = 1; shift < 8; shift += 1) {
    const previous = tables[shift - 1]!;
    tables.push(previous.map((remainder) => (remainder >>> 8) ^ first[remainder & 255]!));
  }
  return tables;
}

/** Checksum and length of bytes that come in pieces. */
export class Crc32c {
  #state = -1;
  #bytes = 0;

  update(data: Uint8Array): this {
    const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES as unknown as Int32Array[];
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const end = data.byteLength;
    let state = this.#state;
    let at = 0;
    for (; at + 8 <= end; at += 8) {
      const low = state ^ view.getInt32(at, true);
      const high = view.getInt32(at + 4, true);
      state =
        t7![low & 255]! ^
        t6![(low >>> 8) & 255]! ^
        t5![(low >>> 16) & 255]! ^
        t4![low >>> 24]! ^
        t3![high & 255]! ^
        t2![(high >>> 8) & 255]! ^
        t1![(high >>> 16) & 255]! ^
        t0![high >>> 24]!;
    }
    for (; at < end; at += 1) state = (state >>> 8) ^ t0![(state ^ data[at]!) & 255]!;
    this.#state = state;
    this.#bytes += end;
    return this;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Base64 of the four big-endian bytes, as in `ArtifactRef.crc32c`. */
  toBase64(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(~this.#state);
    return bytes.toString('base64');
  }
}
