/**
 * Protocol Buffers wire format, the writing half: tagged varints, 32-bit floats, length-delimited fields. Knows nothing of
 * ONNX. Fields are appended in call order; a message is written by a callback into a writer of its own.
 */

const WIRE_VARINT = 0;
const WIRE_LENGTH_DELIMITED = 2;
const WIRE_FIXED32 = 5;
const GROWTH_FACTOR = 2;
const text = new TextEncoder();

export class WireWriter {
  private buffer = new Uint8Array(256);
  private length = 0;

  /** The bytes written so far (a copy). */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }

  /** int32, int64, bool or enum field. Negative numbers take ten bytes, as the format wants. */
  varint(field: number, value: number | bigint): void {
    this.tag(field, WIRE_VARINT);
    this.rawVarint(BigInt.asUintN(64, BigInt(value)));
  }

  float(field: number, value: number): void {
    this.tag(field, WIRE_FIXED32);
    this.reserve(4);
    new DataView(this.buffer.buffer).setFloat32(this.length, value, true);
    this.length += 4;
  }

  bytes(field: number, value: Uint8Array): void {
    this.tag(field, WIRE_LENGTH_DELIMITED);
    this.rawVarint(BigInt(value.length));
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  string(field: number, value: string): void {
    this.bytes(field, text.encode(value));
  }

  message(field: number, write: (writer: WireWriter) => void): void {
    const inner = new WireWriter();
    write(inner);
    this.bytes(field, inner.buffer.subarray(0, inner.length));
  }

  private tag(field: number, wireType: number): void {
    this.rawVarint(BigInt((field << 3) | wireType));
  }

  private rawVarint(value: bigint): void {
    this.reserve(10);
    let rest = value;
    while (rest > 0x7fn) {
      this.buffer[this.length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.buffer[this.length++] = Number(rest);
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.buffer.length * GROWTH_FACTOR));
    grown.set(this.buffer.subarray(0, this.length));
    this.buffer = grown;
  }
}
