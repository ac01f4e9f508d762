/**
 * Reads the objects of a 32-bit compiled module one after another. It determines the length and the words of each
 * object, not their meaning. Throws STP1204 for a truncated file or one that is not a module.
 */
import { StpError } from '@stp/base';
import {
  COUNT_OFFSET,
  isCompiledModule,
  OBJECT_HEADER_BYTES,
  SIZE_OFFSET,
  SOURCE,
  TAG,
  TAG_OFFSET,
} from './object-format.ts';

export function damagedModule(module: string, what: string): StpError {
  return new StpError(
    'STP1204',
    `the compiled module ${module} is damaged: ${what}`,
    'Run the set-up again; the package it came from is fetched anew.',
    { facts: { module } },
  );
}

export class SourceHeap {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Address at which the file should be mapped; `root` is the address of its root object. */
  readonly base: number;
  readonly root: number;
  readonly #module: string;

  /** @param module the module's path, for messages only */
  constructor(bytes: Uint8Array, module: string) {
    this.bytes = bytes;
    this.#module = module;
    if (!isCompiledModule(bytes)) throw damagedModule(module, 'it does not start as one');
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.base = this.word(SOURCE.baseOffset);
    this.root = this.word(SOURCE.rootOffset);
  }

  word(offset: number): number {
    return this.view.getUint32(offset, true);
  }

  tag(offset: number): number {
    return this.bytes[offset + TAG_OFFSET] as number;
  }

  /** Returns the number of pointer fields of a constructor, or the bytes per element of a scalar array. */
  count(offset: number): number {
    return this.bytes[offset + COUNT_OFFSET] as number;
  }

  /** Returns the size of a constructor object in bytes, including its header. */
  constructorBytes(offset: number): number {
    return this.view.getUint16(offset + SIZE_OFFSET, true);
  }

  /** Returns the bytes of scalar fields that follow a constructor's pointer fields. */
  scalarBytes(offset: number): number {
    return this.constructorBytes(offset) - OBJECT_HEADER_BYTES - SOURCE.wordBytes * this.count(offset);
  }

  /** Calls `visit` with the offset of every object, in file order. */
  forEachObject(visit: (offset: number) => void): void {
    const end = this.bytes.length;
    let offset: number = SOURCE.firstObjectOffset;
    while (offset < end) {
      if (offset + OBJECT_HEADER_BYTES > end) throw damagedModule(this.#module, 'it is cut short');
      const bytes = this.#objectBytes(offset);
      if (bytes < OBJECT_HEADER_BYTES || offset + bytes > end) throw damagedModule(this.#module, 'it is cut short');
      const next = Math.ceil((offset + bytes) / 4) * 4;
      visit(offset);
      offset = next;
    }
  }

  #objectBytes(offset: number): number {
    const tag = this.tag(offset);
    if (tag <= TAG.constructorMax) return this.constructorBytes(offset);
    // The words that determine the object's length must lie within the file.
    if (offset + OBJECT_HEADER_BYTES + SOURCE.wordBytes > this.bytes.length) return Number.POSITIVE_INFINITY;
    if (tag === TAG.bigNumber && offset + SOURCE.bigData > this.bytes.length) return Number.POSITIVE_INFINITY;
    switch (tag) {
      case TAG.array:
        return SOURCE.arrayData + SOURCE.wordBytes * this.word(offset + SOURCE.arrayLength);
      case TAG.scalarArray:
        return SOURCE.scalarArrayData + this.count(offset) * this.word(offset + SOURCE.scalarArrayLength);
      case TAG.string:
        return SOURCE.stringData + this.word(offset + SOURCE.stringBytes);
      case TAG.bigNumber:
        return SOURCE.bigData + SOURCE.wordBytes * this.word(offset + SOURCE.bigDigits);
      case TAG.thunk:
      case TAG.task:
        return OBJECT_HEADER_BYTES + 2 * SOURCE.wordBytes;
      case TAG.reference:
        return OBJECT_HEADER_BYTES + SOURCE.wordBytes;
      default:
        throw damagedModule(this.#module, `object tag ${tag} at byte ${offset}`);
    }
  }
}
