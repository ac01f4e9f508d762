/**
 * Writes GGUF, llama.cpp's model file: the header with its metadata and the tensors' offsets, then the tensors'
 * bytes.
 */
import { open } from 'node:fs/promises';

/** A plain number is an integer; `{ float }` is a float. */
export type GgufField = string | number | boolean | { readonly float: number } | readonly string[] | readonly number[];

export interface TensorSpec {
  readonly name: string;
  /** Outermost first. */
  readonly shape: readonly number[];
  /** Code of its value type. */
  readonly type: number;
  readonly bytes: number;
}

export type GgufFields = Readonly<Record<string, GgufField>>;

/** Codes of field types. */
const [U32, I32, F32, BOOLEAN, TEXT, LIST] = [4, 5, 6, 7, 8, 9] as const;
const ALIGNMENT = 32;
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

/** Pads bytes with zeros up to the next tensor's offset. */
export const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(room(bytes.length) - bytes.length)]);
const room = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

const isFloat = (value: object): value is { readonly float: number } => 'float' in value;

function field(value: GgufField): Buffer {
  if (typeof value === 'string') return Buffer.concat([u32(TEXT), text(value)]);
  if (typeof value === 'boolean') return Buffer.concat([u32(BOOLEAN), Buffer.of(value ? 1 : 0)]);
  if (typeof value === 'number') return Buffer.concat([u32(U32), u32(value)]);
  if (isFloat(value)) return Buffer.concat([u32(F32), Buffer.from(Float32Array.of(value.float).buffer)]);
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)));
  return Buffer.concat([u32(LIST), u32(typeof value[0] === 'number' ? I32 : TEXT), u64(value.length), ...items]);
}

/** Returns everything before the tensors' bytes, which follow in the given order, each padded. */
export function ggufHeader(fields: GgufFields, tensors: readonly TensorSpec[]): Buffer {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(Object.keys(fields).length)];
  for (const [name, value] of Object.entries(fields)) parts.push(text(name), field(value));
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.toReversed().map(u64), u32(type), u64(offset));
    offset += room(bytes);
  }
  return padded(Buffer.concat(parts));
}

/** Writes the file. `data` returns one tensor's bytes at a time, so that only one is in memory. */
export async function writeGgufFile<Tensor extends TensorSpec>(
  path: string,
  fields: GgufFields,
  tensors: readonly Tensor[],
  data: (tensor: Tensor) => Buffer,
): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(ggufHeader(fields, tensors));
    for (const tensor of tensors) await file.writeFile(padded(data(tensor)));
  } finally {
    await file.close();
  }
}
