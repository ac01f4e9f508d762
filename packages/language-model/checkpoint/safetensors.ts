/**
 * Reads and writes the safetensors format: an 8-byte little-endian header length, a JSON header, then the tensors'
 * bytes. Files are untrusted: sizes are capped, and the tensors must cover the data exactly once. Writes F32; reads
 * F32, BF16 and F16. Format: github.com/huggingface/safetensors, README "Format".
 */
import { open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { describeIssues } from '@stp/base';
import { z } from 'zod';
import { damaged, foreign, unreadable } from '../damaged.ts';

export interface Tensor {
  /** Dimensions, outermost first. */
  readonly shape: readonly number[];
  /** Row-major values. */
  readonly values: Float32Array;
}

/** A header entry takes about 150 bytes; 4,096 tensors are a Llama of 450 layers. */
const HEADER_BYTES_MAX = 1 << 20;
const TENSORS_MAX = 4_096;
const NAME_CHARS_MAX = 256;
const DIMENSIONS_MAX = 4;
const DIMENSION_MAX = 2 ** 24;
const LENGTH_FIELD_BYTES = 8;
const ALIGNMENT_BYTES = 8;
/** The format is little-endian. On little-endian machines bytes are copied unchanged. */
const IS_BIG_ENDIAN = endianness() === 'BE';
const VALUE_BYTES = { F32: 4, BF16: 2, F16: 2 } as const;
type Dtype = keyof typeof VALUE_BYTES;
/** Types of the format whose values are not read, mostly those of quantised models. */
const UNREAD_BYTES = {
  ...{ F64: 8, I64: 8, U64: 8, I32: 4, U32: 4, I16: 2, U16: 2 },
  ...{ I8: 1, U8: 1, BOOL: 1, F8_E4M3: 1, F8_E5M2: 1 },
} as const;
const ALL_BYTES: Readonly<Record<Dtype | keyof typeof UNREAD_BYTES, number>> = { ...VALUE_BYTES, ...UNREAD_BYTES };
type AnyDtype = keyof typeof ALL_BYTES;

const entrySchema = z.strictObject({
  dtype: z.enum(Object.keys(ALL_BYTES) as [AnyDtype, ...AnyDtype[]]),
  shape: z.array(z.int().min(1).max(DIMENSION_MAX)).max(DIMENSIONS_MAX),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
export type TensorHeader = z.infer<typeof entrySchema> & { readonly name: string };
const metadataSchema = z.record(z.string().max(NAME_CHARS_MAX), z.string().max(NAME_CHARS_MAX));

/** Returns the start of a file with these tensors in float32, in this order. Their values follow it. */
export function safetensorsHeader(
  tensors: readonly { readonly name: string; readonly shape: readonly number[] }[],
): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const { name, shape } of tensors) {
    const end = offset + shape.reduce((product, size) => product * size, VALUE_BYTES.F32);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, end] };
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
  const bytes = Buffer.alloc(LENGTH_FIELD_BYTES + headerBytes, ' ');
  bytes.writeBigUInt64LE(BigInt(headerBytes));
  json.copy(bytes, LENGTH_FIELD_BYTES);
  return bytes;
}

/** Returns the file's bytes. Equal tensors in equal order give equal bytes. */
export function writeSafetensors(tensors: ReadonlyMap<string, Tensor>): Buffer {
  const header = safetensorsHeader(Array.from(tensors, ([name, { shape }]) => ({ name, shape })));
  return Buffer.concat([header, ...Array.from(tensors.values(), ({ values }) => littleEndian(values))]);
}

/** Returns the values as little-endian bytes. */
export function littleEndian(values: Float32Array): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return IS_BIG_ENDIAN ? Buffer.from(bytes).swap32() : bytes;
}

export const isReadType = (dtype: string): dtype is Dtype => Object.hasOwn(VALUE_BYTES, dtype);

/** Returns the tensors by name, copied out of `file`. Throws STP1302 for a malformed file; `name` is for messages. */
export function readSafetensors(file: Buffer, name: string): Map<string, Tensor> {
  const dataStart = LENGTH_FIELD_BYTES + headerBytes(file, file.length, name);
  const entries = readHeader(file.subarray(LENGTH_FIELD_BYTES, dataStart), file.length - dataStart, name);
  const data = file.subarray(dataStart);
  return new Map(
    entries.map(({ name: tensor, dtype, shape, data_offsets: [start, end] }) => {
      // Quantised models have scales without dimensions; no matrix and no gain of ours is one.
      if (shape.length === 0) throw damaged(name, `tensor ${tensor} has no dimensions`);
      if (!isReadType(dtype)) throw foreign(name, `tensor ${tensor} is of type ${dtype}`);
      return [tensor, { shape, values: readValues(data.subarray(start, end), dtype) }];
    }),
  );
}

/** Reads the tensors' headers from a file on disk, without their values. Throws STP1302 for a malformed file. */
export async function readTensorHeaders(path: string): Promise<TensorHeader[]> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  try {
    const { size } = await file.stat();
    const { buffer: length, bytesRead } = await file.read(Buffer.alloc(LENGTH_FIELD_BYTES), 0, LENGTH_FIELD_BYTES, 0);
    const bytes = headerBytes(length.subarray(0, bytesRead), size, path);
    const { buffer: header } = await file.read(Buffer.alloc(bytes), 0, bytes, LENGTH_FIELD_BYTES);
    return readHeader(header, size - LENGTH_FIELD_BYTES - bytes, path);
  } finally {
    await file.close();
  }
}

/** Returns the length of the header. @param file its first bytes @param size of the whole file, bytes */
function headerBytes(file: Buffer, size: number, name: string): number {
  if (file.length < LENGTH_FIELD_BYTES) throw damaged(name, 'shorter than its length field');
  const bytes = file.readBigUInt64LE();
  if (bytes > HEADER_BYTES_MAX) throw damaged(name, `header of ${bytes} bytes, ${HEADER_BYTES_MAX} allowed`);
  if (LENGTH_FIELD_BYTES + Number(bytes) > size) throw damaged(name, 'header runs past the end of the file');
  return Number(bytes);
}

/**
 * Returns the tensors of a header in the order of their bytes. Each must begin where the one before it ended: gaps,
 * overlaps and trailing bytes are refused.
 * @param dataBytes size of the data after the header
 */
function readHeader(bytes: Buffer, dataBytes: number, name: string): TensorHeader[] {
  const entries = readEntries(bytes, name).sort((a, b) => a.data_offsets[0] - b.data_offsets[0]);
  let covered = 0;
  for (const { name: tensor, dtype, shape, data_offsets } of entries) {
    const [start, end] = data_offsets;
    const count = shape.reduce((product, dimension) => product * dimension, 1);
    if (start !== covered) throw damaged(name, `tensor ${tensor} begins at byte ${start}, expected ${covered}`);
    if (end - start !== count * ALL_BYTES[dtype]) throw damaged(name, `tensor ${tensor}: size and shape differ`);
    if (end > dataBytes) throw damaged(name, `tensor ${tensor} runs past the end of the file`);
    covered = end;
  }
  if (covered !== dataBytes) throw damaged(name, `${dataBytes - covered} bytes belong to no tensor`);
  return entries;
}

function readEntries(bytes: Buffer, name: string): TensorHeader[] {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw damaged(name, 'header is not JSON', cause);
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw damaged(name, 'header is no object');
  const fields = Object.entries(header);
  if (fields.length > TENSORS_MAX) throw damaged(name, `${fields.length} tensors, ${TENSORS_MAX} allowed`);
  const entries: TensorHeader[] = [];
  for (const [key, value] of fields) {
    if (key.length > NAME_CHARS_MAX) throw damaged(name, `tensor name of ${key.length} characters`);
    const parsed = key === '__metadata__' ? metadataSchema.safeParse(value) : entrySchema.safeParse(value);
    if (!parsed.success) throw damaged(name, `header entry ${key}: ${describeIssues(parsed.error)}`);
    if (key !== '__metadata__') entries.push({ name: key, ...(parsed.data as z.infer<typeof entrySchema>) });
  }
  return entries;
}

function readValues(bytes: Buffer, dtype: Dtype): Float32Array {
  const count = bytes.length / VALUE_BYTES[dtype];
  const values = new Float32Array(count);
  if (dtype === 'F32') {
    const target = Buffer.from(values.buffer);
    bytes.copy(target);
    if (IS_BIG_ENDIAN) target.swap32();
    return values;
  }
  if (dtype === 'F16') {
    for (let index = 0; index < count; index++) values[index] = valueOfHalf(bytes.readUInt16LE(2 * index));
    return values;
  }
  // A BF16 is the upper half of an F32.
  const bits = new Uint32Array(values.buffer);
  for (let index = 0; index < count; index++) bits[index] = bytes.readUInt16LE(2 * index) << 16;
  return values;
}

/** Converts the bits of an IEEE 754 binary16 (1 sign, 5 exponent, 10 fraction) to a number. */
export function valueOfHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1_024) * 2 ** (exponent - 15);
}
