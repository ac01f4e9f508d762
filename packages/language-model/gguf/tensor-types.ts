/**
 * The value types of a GGUF, and how their blocks become numbers. Every type has its name and size, so that any file
 * can be described; only the older types without super-blocks can be read. Layouts: github.com/ggml-org/ggml,
 * src/ggml-common.h.
 */
import { valueOfHalf } from '../checkpoint/safetensors.ts';

export interface TensorType {
  readonly name: string;
  /** Number of values in a block, and its size in bytes. */
  readonly block: number;
  readonly blockBytes: number;
  /** Reads the values of whole blocks; null for unsupported types. */
  readonly read: ((bytes: Buffer) => Float32Array) | null;
}

const BLOCK = 32;

/** Writes the values of one block, which begins at `at`, to `values` from `to` on. */
type ReadBlock = (bytes: Buffer, at: number, values: Float32Array, to: number) => void;

function type(name: string, block: number, blockBytes: number, readBlock: ReadBlock | null = null): TensorType {
  const read =
    readBlock === null
      ? null
      : (bytes: Buffer): Float32Array => {
          const blocks = bytes.length / blockBytes;
          const values = new Float32Array(blocks * block);
          for (let index = 0; index < blocks; index++) readBlock(bytes, index * blockBytes, values, index * block);
          return values;
        };
  return { name, block, blockBytes, read };
}

const half = (bytes: Buffer, at: number): number => valueOfHalf(bytes.readUInt16LE(at));

const ofOne =
  (read: (bytes: Buffer, at: number) => number): ReadBlock =>
  (bytes, at, values, to) => {
    values[to] = read(bytes, at);
  };

/** Reads two values from each byte: the low halves are the first half of the block, the high halves the second. */
function nibbles(
  bytes: Buffer,
  at: number,
  values: Float32Array,
  to: number,
  numberOf: (nibble: number) => number,
): void {
  for (let index = 0; index < BLOCK / 2; index++) {
    const byte = bytes[at + index]!;
    values[to + index] = numberOf(byte & 0xf);
    values[to + index + BLOCK / 2] = numberOf(byte >> 4);
  }
}

/** The types by code. */
export const TENSOR_TYPES: ReadonlyMap<number, TensorType> = new Map([
  [
    0,
    type(
      'F32',
      1,
      4,
      ofOne((bytes, at) => bytes.readFloatLE(at)),
    ),
  ],
  [1, type('F16', 1, 2, ofOne(half))],
  [
    2,
    type('Q4_0', BLOCK, 18, (bytes, at, values, to) => {
      const scale = half(bytes, at);
      nibbles(bytes, at + 2, values, to, (nibble) => scale * (nibble - 8));
    }),
  ],
  [
    3,
    type('Q4_1', BLOCK, 20, (bytes, at, values, to) => {
      const [scale, least] = [half(bytes, at), half(bytes, at + 2)];
      // Both operations are rounded to single precision, as in llama.cpp.
      nibbles(bytes, at + 4, values, to, (nibble) => Math.fround(scale * nibble) + least);
    }),
  ],
  [6, type('Q5_0', BLOCK, 22)],
  [7, type('Q5_1', BLOCK, 24)],
  [
    8,
    type('Q8_0', BLOCK, 34, (bytes, at, values, to) => {
      const scale = half(bytes, at);
      for (let index = 0; index < BLOCK; index++) values[to + index] = scale * bytes.readInt8(at + 2 + index);
    }),
  ],
  [10, type('Q2_K', 256, 84)],
  [11, type('Q3_K', 256, 110)],
  [12, type('Q4_K', 256, 144)],
  [13, type('Q5_K', 256, 176)],
  [14, type('Q6_K', 256, 210)],
  [16, type('IQ2_XXS', 256, 66)],
  [17, type('IQ2_XS', 256, 74)],
  [18, type('IQ3_XXS', 256, 98)],
  [19, type('IQ1_S', 256, 50)],
  [20, type('IQ4_NL', BLOCK, 18)],
  [21, type('IQ3_S', 256, 110)],
  [22, type('IQ2_S', 256, 82)],
  [23, type('IQ4_XS', 256, 136)],
  [24, type('I8', 1, 1)],
  [25, type('I16', 1, 2)],
  [26, type('I32', 1, 4)],
  [27, type('I64', 1, 8)],
  [28, type('F64', 1, 8)],
  [29, type('IQ1_M', 256, 56)],
  [
    30,
    type(
      'BF16',
      1,
      2,
      ofOne((bytes, at) => {
        FLOAT_BITS.setUint32(0, bytes.readUInt16LE(at) << 16);
        return FLOAT_BITS.getFloat32(0);
      }),
    ),
  ],
  [34, type('TQ1_0', 256, 54)],
  [35, type('TQ2_0', 256, 66)],
  [39, type('MXFP4', BLOCK, 17)],
]);

const FLOAT_BITS = new DataView(new ArrayBuffer(4));
