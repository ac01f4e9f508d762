/**
 * A 64-bit module in memory that can be read, changed and extended. Objects are identified by their absolute address,
 * as in the file. This class handles constructors, arrays and strings, but not their meaning.
 */
import {
  COUNT_OFFSET,
  OBJECT_HEADER_BYTES,
  roundUpTo8,
  SIZE_OFFSET,
  TAG,
  TAG_OFFSET,
  TARGET,
} from './object-format.ts';

const TWO_TO_32 = 2 ** 32;
/** The size field of arrays and strings as Lean writes it; their reference count is 0 (never freed). */
const UNSIZED = 1;

/** Returns the word of a small natural number. */
export function boxed(value: number): number {
  return value * 2 + 1;
}

export function isBoxed(word: number): boolean {
  return word % 2 === 1;
}

export class ModuleImage {
  /** Address at which the module will be mapped. Below 2^47, so that addresses are exact as JavaScript numbers. */
  readonly base: number;
  /** Addresses of objects with the layout of a `Name` component, parents before children. */
  readonly possibleNames: number[] = [];
  bytes: Uint8Array;
  view: DataView;
  #end: number;
  #emptyArray: number | undefined;

  constructor(bytes: number, base: number) {
    this.base = base;
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
    this.#end = bytes;
  }

  /** Returns the present bytes of the module. */
  contents(): Uint8Array {
    return this.bytes.subarray(0, this.#end);
  }

  get root(): number {
    return this.word(this.base + TARGET.rootOffset);
  }

  putHalves(offset: number, low: number, high: number): void {
    this.view.setUint32(offset, low, true);
    this.view.setUint32(offset + 4, high, true);
  }

  putNumber(offset: number, value: number): void {
    this.putHalves(offset, value % TWO_TO_32, Math.floor(value / TWO_TO_32));
  }

  /** Returns the pointer or small number at `address`. Exact below 2^53, so not suitable for hashes. */
  word(address: number): number {
    const offset = address - this.base;
    return this.view.getUint32(offset + 4, true) * TWO_TO_32 + this.view.getUint32(offset, true);
  }

  setWord(address: number, value: number): void {
    this.putNumber(address - this.base, value);
  }

  hash(address: number): bigint {
    return this.view.getBigUint64(address - this.base, true);
  }

  setHash(address: number, value: bigint): void {
    this.view.setBigUint64(address - this.base, value, true);
  }

  tag(object: number): number {
    return this.bytes[object - this.base + TAG_OFFSET] as number;
  }

  fieldCount(object: number): number {
    return this.bytes[object - this.base + COUNT_OFFSET] as number;
  }

  objectBytes(object: number): number {
    return this.view.getUint16(object - this.base + SIZE_OFFSET, true);
  }

  field(object: number, index: number): number {
    return this.word(object + OBJECT_HEADER_BYTES + TARGET.wordBytes * index);
  }

  setField(object: number, index: number, value: number): void {
    this.setWord(object + OBJECT_HEADER_BYTES + TARGET.wordBytes * index, value);
  }

  /** Returns the offset in `bytes` of the first scalar of a constructor. */
  scalarOffset(object: number): number {
    return object - this.base + OBJECT_HEADER_BYTES + TARGET.wordBytes * this.fieldCount(object);
  }

  array(object: number): number[] {
    const length = this.word(object + TARGET.arrayLength);
    return Array.from({ length }, (_, index) => this.word(object + TARGET.arrayData + TARGET.wordBytes * index));
  }

  setElement(object: number, index: number, value: number): void {
    this.setWord(object + TARGET.arrayData + TARGET.wordBytes * index, value);
  }

  string(object: number): string {
    const start = object - this.base + TARGET.stringData;
    const bytes = this.word(object + TARGET.stringBytes) - 1;
    return Buffer.from(this.bytes.buffer, start, bytes).toString('utf8');
  }

  addConstructor(tag: number, fields: readonly number[], scalarBytes = 0): number {
    const bytes = OBJECT_HEADER_BYTES + TARGET.wordBytes * fields.length + roundUpTo8(scalarBytes);
    const object = this.#add(bytes, tag, bytes, fields.length);
    for (const [index, value] of fields.entries()) this.setField(object, index, value);
    return object;
  }

  addArray(elements: readonly number[]): number {
    const object = this.#add(TARGET.arrayData + TARGET.wordBytes * elements.length, TAG.array, UNSIZED, 0);
    this.setWord(object + TARGET.arrayLength, elements.length);
    this.setWord(object + TARGET.arrayCapacity, elements.length);
    for (const [index, value] of elements.entries()) this.setElement(object, index, value);
    return object;
  }

  /** Returns the empty array that all adaptations share. */
  emptyArray(): number {
    this.#emptyArray ??= this.addArray([]);
    return this.#emptyArray;
  }

  addString(text: string): number {
    const encoded = Buffer.from(text, 'utf8');
    const object = this.#add(TARGET.stringData + encoded.length + 1, TAG.string, UNSIZED, 0);
    this.setWord(object + TARGET.stringBytes, encoded.length + 1);
    this.setWord(object + TARGET.stringCapacity, encoded.length + 1);
    this.setWord(object + TARGET.stringLength, [...text].length);
    this.bytes.set(encoded, object - this.base + TARGET.stringData);
    return object;
  }

  #add(bytes: number, tag: number, size: number, count: number): number {
    const offset = this.#end;
    this.#end += roundUpTo8(bytes);
    if (this.#end > this.bytes.length) this.#grow();
    this.view.setUint16(offset + SIZE_OFFSET, size, true);
    this.bytes[offset + COUNT_OFFSET] = count;
    this.bytes[offset + TAG_OFFSET] = tag;
    return this.base + offset;
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(this.#end, this.bytes.length + (this.bytes.length >>> 2)));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}
