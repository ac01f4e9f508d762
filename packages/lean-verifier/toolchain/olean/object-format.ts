/**
 * The object format of Lean's compiled modules (`.olean`): the tags, and the offsets of fields in the 32-bit files that
 * are read and the 64-bit files that are written.
 *
 * A module consists of an 80-byte header (magic, format version, flags, Lean version, commit), the address at which it
 * should be mapped, the address of its root object, and the objects, children before parents. Pointers are absolute, as
 * if the file were mapped at that address. An odd word is not a pointer but a small number, shifted left by one.
 * Source: `runtime/object.h`, `runtime/compact.cpp` and `library/module.cpp` of Lean 4.
 */

/** Object tags. Tags up to `constructorMax` are constructors, numbered as in their inductive type. */
export const TAG = {
  constructorMax: 243,
  array: 246,
  scalarArray: 248,
  string: 249,
  bigNumber: 250,
  thunk: 251,
  task: 252,
  reference: 253,
} as const;

/** Bytes before the two address words: magic (5), format version (1), flags (1), Lean version (33), commit (40). */
export const MODULE_HEADER_BYTES = 80;
const MAGIC = 'olean';
const FORMAT_VERSION = 2;
/** Big numbers use GMP. */
const FLAG_GMP = 1;
const LEAN_VERSION_OFFSET = 7;
const COMMIT_OFFSET = 40;

/** Header of every object: reference count (4 bytes), size (2), number of fields or element size (1), tag (1). */
export const OBJECT_HEADER_BYTES = 8;
export const SIZE_OFFSET = 4;
export const COUNT_OFFSET = 6;
export const TAG_OFFSET = 7;

/** Field offsets in 32-bit objects (WebAssembly; big numbers without GMP). */
export const SOURCE = {
  baseOffset: 80,
  rootOffset: 84,
  firstObjectOffset: 88,
  wordBytes: 4,
  arrayLength: 8,
  arrayData: 16,
  scalarArrayLength: 8,
  scalarArrayData: 16,
  stringBytes: 8,
  stringLength: 16,
  stringData: 20,
  bigNegative: 8,
  bigDigits: 12,
  bigData: 20,
} as const;

/** Field offsets in 64-bit objects (big numbers with GMP). */
export const TARGET = {
  baseOffset: 80,
  rootOffset: 88,
  firstObjectOffset: 96,
  wordBytes: 8,
  arrayLength: 8,
  arrayCapacity: 16,
  arrayData: 24,
  scalarArrayLength: 8,
  scalarArrayCapacity: 16,
  scalarArrayData: 24,
  stringBytes: 8,
  stringCapacity: 16,
  stringLength: 24,
  stringData: 32,
  bigAllocated: 8,
  bigSize: 12,
  bigPointer: 16,
  bigData: 24,
} as const;

export function roundUpTo8(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/**
 * Returns the header of a 64-bit module for Lean `version` (such as `4.35.0`) built from `commit` (40 hexadecimal
 * digits).
 */
export function moduleHeader(version: string, commit: string): Buffer {
  const header = Buffer.alloc(MODULE_HEADER_BYTES);
  header.write(MAGIC, 0, 'latin1');
  header[5] = FORMAT_VERSION;
  header[6] = FLAG_GMP;
  header.write(version, LEAN_VERSION_OFFSET, 'latin1');
  header.write(commit, COMMIT_OFFSET, 'latin1');
  return header;
}

/** Whether `bytes` begin like a compiled module. */
export function isCompiledModule(bytes: Uint8Array): boolean {
  return (
    bytes.length > SOURCE.firstObjectOffset &&
    Buffer.from(bytes.buffer, bytes.byteOffset, MAGIC.length).toString('latin1') === MAGIC &&
    bytes[5] === FORMAT_VERSION
  );
}
