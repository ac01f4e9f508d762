/**
 * Reads the objects of a compiled module (`.olean`, 64 bits) in place. A module consists of up to three files that are
 * mapped together and point into each other: `.olean` and, with the module system, `.olean.server` and
 * `.olean.private`. For any bytes, reading returns a value or throws `Damaged`: every pointer must point into the
 * files, and every object must be within its bounds.
 *
 * Each file has a header of 80 bytes, the address at which it is to be mapped, the address of its root, then objects. A
 * word is the address of an object, or an odd number that represents half of itself, rounded down. An object starts
 * with reference count (4 bytes), size (2), number of pointer fields (1) and tag (1). Source: `runtime/object.h` and
 * `library/module.cpp` of Lean 4.
 */
import { Decline } from '../verdict.ts';

/** Thrown for bytes that do not follow the format. The reader adds the file's name. */
export class Damaged extends Error {}

const MAGIC = Buffer.from('olean');
const FORMAT_VERSION = 2;
/** The only flag: big numbers use GMP. */
const FLAG_GMP = 1;
const VERSION_OFFSET = 7;
const VERSION_BYTES = 33;
const BASE_OFFSET = 80;
const ROOT_OFFSET = 88;
const FIRST_OBJECT = 96;

const OBJECT_HEADER_BYTES = 8;
const WORD_BYTES = 8;
const CONSTRUCTOR_TAG_MAX = 243;
const TAG_ARRAY = 246;
const TAG_STRING = 249;
const TAG_BIG_NUMBER = 250;
const ARRAY_LENGTH = 8;
const ARRAY_DATA = 24;
const STRING_BYTES = 8;
const STRING_DATA = 32;
/** GMP's number of limbs, negative for a negative number. */
const BIG_LIMBS = 12;
const BIG_DATA = 24;
const TWO_TO_32 = 2 ** 32;

/**
 * Lean versions with the constant layout of this reader. The library of 4.28 can be read like that of 4.35
 * (`packages/lean-verifier/toolchain/olean/adapt.ts` changes only extension entries).
 */
const LEAN_MINOR_MIN = 28;
const LEAN_MINOR_MAX = 35;

interface Region {
  readonly base: number;
  /** Offset of its file in `bytes`. */
  readonly start: number;
  readonly length: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export class Heap {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #regions: Region[] = [];
  /** The root object of the last file, which contains everything in the others. */
  readonly root: number;

  /** Throws `Damaged`, or `Decline` for an unsupported version. */
  constructor(files: readonly Buffer[]) {
    const padded = files.map((file) => Buffer.concat([file], Math.ceil(file.length / WORD_BYTES) * WORD_BYTES));
    this.#bytes = padded.length === 1 ? padded[0]! : Buffer.concat(padded);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    let start = 0;
    for (const file of padded) {
      requireHeader(file);
      this.#regions.push({ base: this.#wordAt(start + BASE_OFFSET), start, length: file.length });
      start += file.length;
    }
    this.root = this.pointer(this.#regions.at(-1)!.start + ROOT_OFFSET);
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Returns the object to which the word at `slot` points. Objects and slots are offsets. */
  pointer(slot: number): number {
    const low = this.#view.getUint32(slot, true);
    if ((low & 7) !== 0) throw new Damaged(`no pointer at byte ${slot}`);
    const address = this.#view.getUint32(slot + 4, true) * TWO_TO_32 + low;
    for (const { base, start, length } of this.#regions) {
      const offset = address - base;
      if (offset >= FIRST_OBJECT && offset + OBJECT_HEADER_BYTES <= length) return start + offset;
    }
    throw new Damaged(`the pointer at byte ${slot} leaves the file`);
  }

  isPointer(slot: number): boolean {
    return (this.#view.getUint8(slot) & 1) === 0;
  }

  /** Returns the small number in the word, which must be below 2^31. */
  small(slot: number): number {
    const low = this.#view.getUint32(slot, true);
    if ((low & 1) === 0 || this.#view.getUint32(slot + 4, true) !== 0)
      throw new Damaged(`no small number at byte ${slot}`);
    return low >>> 1;
  }

  /** Returns a natural number of any size. */
  natural(slot: number, limbsMax: number): bigint {
    if (!this.isPointer(slot)) return this.#view.getBigUint64(slot, true) >> 1n;
    const object = this.pointer(slot);
    this.#require(object, TAG_BIG_NUMBER, BIG_DATA);
    const limbs = this.#view.getInt32(object + BIG_LIMBS, true);
    if (limbs < 0) throw new Damaged(`a negative number at byte ${object}`);
    if (limbs > limbsMax) throw new Decline(`a number of more than ${limbsMax} words of 64 bits`);
    this.#requireBytes(object, BIG_DATA + WORD_BYTES * limbs);
    const digits = Buffer.from(this.#bytes.subarray(object + BIG_DATA, object + BIG_DATA + WORD_BYTES * limbs));
    return limbs === 0 ? 0n : BigInt(`0x${digits.reverse().toString('hex')}`);
  }

  /**
   * Returns the tag of a constructor object, which must have this many pointer fields and at least these bytes of
   * scalars after them.
   */
  tag(object: number, fields: number, scalarBytes = 0): number {
    const tag = this.anyTag(object);
    if (tag > CONSTRUCTOR_TAG_MAX) throw new Damaged(`no constructor at byte ${object}`);
    const bytes = this.#view.getUint16(object + 4, true);
    if (this.fieldCount(object) !== fields || bytes < OBJECT_HEADER_BYTES + WORD_BYTES * fields + scalarBytes)
      throw new Damaged(`an object of another shape at byte ${object}`);
    this.#requireBytes(object, bytes);
    return tag;
  }

  isConstructor(object: number): boolean {
    return this.anyTag(object) <= CONSTRUCTOR_TAG_MAX;
  }

  anyTag(object: number): number {
    return this.#bytes[object + 7]!;
  }

  fieldCount(object: number): number {
    return this.#bytes[object + 6]!;
  }

  /** Returns the slot of a pointer field. The layout must have been verified by `tag`. */
  field(object: number, index: number): number {
    return object + OBJECT_HEADER_BYTES + WORD_BYTES * index;
  }

  /** Returns a byte of the scalars after `fields` pointer fields. */
  scalar(object: number, fields: number, index: number): number {
    return this.#bytes[this.field(object, fields) + index]!;
  }

  /** Returns the first four bytes of the scalars as a number. */
  scalar32(object: number, fields: number): number {
    return this.#view.getUint32(this.field(object, fields), true);
  }

  /** Returns the slots of an array's elements. */
  array(object: number, lengthMax: number): number[] {
    this.#require(object, TAG_ARRAY, ARRAY_DATA);
    const length = this.#wordAt(object + ARRAY_LENGTH);
    if (length > lengthMax) throw new Damaged(`an array of ${length} elements at byte ${object}`);
    this.#requireBytes(object, ARRAY_DATA + WORD_BYTES * length);
    return Array.from({ length }, (_, index) => object + ARRAY_DATA + WORD_BYTES * index);
  }

  /** Returns the slots of a list's elements: `nil` is a small number, `cons` has tag 1 and two fields. */
  list(slot: number, lengthMax: number): number[] {
    const slots: number[] = [];
    for (let at = slot; this.isPointer(at); ) {
      if (slots.length >= lengthMax) throw new Damaged(`a list of more than ${lengthMax} elements at byte ${slot}`);
      const cell = this.pointer(at);
      if (this.tag(cell, 2) !== 1) throw new Damaged(`no list at byte ${cell}`);
      slots.push(this.field(cell, 0));
      at = this.field(cell, 1);
    }
    return slots;
  }

  string(slot: number): string {
    const object = this.pointer(slot);
    this.#require(object, TAG_STRING, STRING_DATA);
    // The length includes a zero byte at the end.
    const bytes = this.#wordAt(object + STRING_BYTES);
    if (bytes === 0) throw new Damaged(`a string without an end at byte ${object}`);
    this.#requireBytes(object, STRING_DATA + bytes);
    try {
      return utf8.decode(this.#bytes.subarray(object + STRING_DATA, object + STRING_DATA + bytes - 1));
    } catch {
      throw new Damaged(`a string that is not UTF-8 at byte ${object}`);
    }
  }

  #wordAt(offset: number): number {
    return this.#view.getUint32(offset + 4, true) * TWO_TO_32 + this.#view.getUint32(offset, true);
  }

  #require(object: number, tag: number, bytes: number): void {
    if (this.anyTag(object) !== tag) throw new Damaged(`an object of another kind at byte ${object}`);
    this.#requireBytes(object, bytes);
  }

  #requireBytes(object: number, bytes: number): void {
    if (object + bytes > this.#bytes.length) throw new Damaged(`the object at byte ${object} is cut short`);
  }
}

function requireHeader(file: Buffer): void {
  if (file.length < FIRST_OBJECT + OBJECT_HEADER_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Damaged('it does not start as a compiled module');
  const end = file.subarray(VERSION_OFFSET, VERSION_OFFSET + VERSION_BYTES);
  const version = end.subarray(0, Math.max(0, end.indexOf(0))).toString('latin1');
  if (file[5] !== FORMAT_VERSION || file[6] !== FLAG_GMP)
    throw new Decline(
      `a compiled module of format ${file[5]} with flags ${file[6]}; this kernel reads format 2 with GMP`,
    );
  const minor = /^4\.(\d+)\./.exec(version)?.[1];
  if (minor === undefined || Number(minor) < LEAN_MINOR_MIN || Number(minor) > LEAN_MINOR_MAX)
    throw new Decline(
      `a compiled module of Lean ${JSON.stringify(version)}; this kernel reads those of 4.${LEAN_MINOR_MIN} to 4.${LEAN_MINOR_MAX}`,
    );
}
