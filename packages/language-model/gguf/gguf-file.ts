/**
 * Reads GGUF, llama.cpp's model file: metadata, then the tensors' offsets, then their bytes. The file is untrusted:
 * every number is checked, and a truncated file is refused before a tensor is read. Format: github.com/ggml-org/ggml,
 * gguf.md, versions 2 and 3.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { damaged, foreign } from '../damaged.ts';
import { TENSOR_TYPES, type TensorType } from './tensor-types.ts';

/** Maximum header size; names and merges of 262,144 tokens are some 12 MB. */
const HEADER_BYTES_MAX = 64 * 1024 * 1024;
const FIELDS_MAX = 4_096;
const TENSORS_MAX = 65_536;
const ITEMS_MAX = 2 ** 20;
const NAME_BYTES_MAX = 1_024;
const DIMENSIONS_MAX = 4;
const ALIGNMENT_DEFAULT = 32;

export type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

export interface GgufTensor {
  readonly name: string;
  /** Dimensions, outermost first, as in safetensors. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** Offset of its first byte in the file. */
  readonly start: number;
  readonly bytes: number;
}

export interface GgufFile {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

/**
 * Reads the header of a file. Throws STP1002 if the path is no file, STP1302 if the file is no GGUF, is truncated, or has
 * tensors of unknown types.
 */
export async function readGguf(path: string): Promise<GgufFile> {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? noFile(`there is no file ${path}`) : damaged(path, cause.message, cause);
  });
  try {
    const facts = await file.stat();
    if (facts.isDirectory()) throw noFile(`${path} is a folder`);
    const { size } = facts;
    const header = Buffer.alloc(Math.min(size, HEADER_BYTES_MAX));
    await file.read(header, 0, header.length, 0);
    return parseHeader(new Cursor(header, path), size);
  } finally {
    await file.close();
  }
}

/** Reads a tensor's bytes. */
export async function readTensorBytes(file: FileHandle, { start, bytes }: GgufTensor): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  await file.read(buffer, 0, bytes, start);
  return buffer;
}

/** Returns a text field of the metadata, or null. */
export const textIn = (metadata: ReadonlyMap<string, GgufValue>, name: string): string | null => {
  const value = metadata.get(name);
  return typeof value === 'string' ? value : null;
};

function parseHeader(cursor: Cursor, fileBytes: number): GgufFile {
  const { path } = cursor;
  if (cursor.bytes(4).toString('latin1') !== 'GGUF') throw foreign(path, 'it does not begin with GGUF');
  const version = cursor.number(4);
  if (version !== 2 && version !== 3) throw foreign(path, `GGUF of version ${version}, read are 2 and 3`);
  const tensorCount = cursor.count('tensors', TENSORS_MAX);
  const fieldCount = cursor.count('fields', FIELDS_MAX);
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < fieldCount; index++) {
    const name = cursor.text(NAME_BYTES_MAX);
    metadata.set(name, cursor.value(cursor.number(4), 0));
  }
  const headers = Array.from({ length: tensorCount }, () => {
    const name = cursor.text(NAME_BYTES_MAX);
    const dimensions = cursor.number(4);
    if (dimensions < 1 || dimensions > DIMENSIONS_MAX)
      throw foreign(path, `tensor ${name} has ${dimensions} dimensions`);
    const shape = Array.from({ length: dimensions }, () => cursor.count('values', 2 ** 40)).reverse();
    const type = cursor.number(4);
    return { name, shape, type, offset: cursor.count('bytes', 2 ** 48) };
  });
  const alignment = metadata.get('general.alignment') ?? ALIGNMENT_DEFAULT;
  if (typeof alignment !== 'number' || !Number.isInteger(alignment) || alignment < 8 || alignment > 2 ** 20)
    throw foreign(path, `an alignment of ${String(alignment)}`);
  const dataStart = Math.ceil(cursor.at / alignment) * alignment;
  const tensors = headers.map(({ name, shape, type: code, offset }): GgufTensor => {
    const type = TENSOR_TYPES.get(code);
    if (type === undefined) throw foreign(path, `tensor ${name} has values of an unknown type (${code})`);
    const values = shape.reduce((product, size) => product * size, 1);
    if (shape.at(-1)! % type.block !== 0) throw foreign(path, `tensor ${name}: rows that are no whole blocks`);
    const tensor = { name, shape, type, start: dataStart + offset, bytes: (values / type.block) * type.blockBytes };
    if (tensor.start + tensor.bytes > fileBytes) throw cutShort(path);
    return tensor;
  });
  return { metadata, tensors };
}

const noFile = (problem: string) => new StpError('STP1002', problem, 'Give the path of a .gguf file.');
const cutShort = (path: string) => damaged(path, 'the file ends before its data do');

/** Reads little-endian numbers and texts from the header, one after another. */
class Cursor {
  at = 0;
  readonly path: string;
  readonly #buffer: Buffer;

  constructor(buffer: Buffer, path: string) {
    this.#buffer = buffer;
    this.path = path;
  }

  bytes(count: number): Buffer {
    if (this.at + count > this.#buffer.length) throw cutShort(this.path);
    this.at += count;
    return this.#buffer.subarray(this.at - count, this.at);
  }

  number(size: 1 | 2 | 4): number {
    return this.bytes(size).readUIntLE(0, size);
  }

  /** Reads a count, 8 bytes. */
  count(what: string, most: number): number {
    const count = this.bytes(8).readBigUInt64LE();
    if (count > most) throw foreign(this.path, `${count} ${what}, ${most} allowed`);
    return Number(count);
  }

  text(bytesMax = HEADER_BYTES_MAX): string {
    return this.bytes(this.count('bytes of a text', bytesMax)).toString('utf8');
  }

  /** Reads a value. Lists may be nested once. */
  value(type: number, depth: number): GgufValue {
    switch (type) {
      case 0:
        return this.number(1);
      case 1:
        return this.bytes(1).readInt8();
      case 2:
        return this.number(2);
      case 3:
        return this.bytes(2).readInt16LE();
      case 4:
        return this.number(4);
      case 5:
        return this.bytes(4).readInt32LE();
      case 6:
        return this.bytes(4).readFloatLE();
      case 7:
        return this.number(1) !== 0;
      case 8:
        return this.text();
      case 9: {
        const itemType = this.number(4);
        const count = this.count('items', ITEMS_MAX);
        if (depth > 1) throw foreign(this.path, 'lists within lists');
        return Array.from({ length: count }, () => this.value(itemType, depth + 1));
      }
      case 10:
        return this.bytes(8).readBigUInt64LE();
      case 11:
        return this.bytes(8).readBigInt64LE();
      case 12:
        return this.bytes(8).readDoubleLE();
      default:
        throw foreign(this.path, `a field of an unknown type (${type})`);
    }
  }
}
