/**
 * Rewrites the objects of a 32-bit module as 64-bit objects: lays out every object again and rebases every pointer. The
 * meaning of the objects stays the same (`adapt.ts` changes it afterwards).
 *
 * The first pass assigns each object its new offset; the second copies it there. Numbers below 2^63 are no longer
 * objects, because a 64-bit word holds them. The same would apply to boxed 32-bit values, but the library has none.
 */
import { ModuleImage } from './module-image.ts';
import {
  MODULE_HEADER_BYTES,
  OBJECT_HEADER_BYTES,
  roundUpTo8,
  SIZE_OFFSET,
  SOURCE,
  TAG,
  TARGET,
} from './object-format.ts';
import { damagedModule, SourceHeap } from './source-heap.ts';

/** A 64-bit word that is not a pointer, as two halves. */
interface Immediate {
  readonly low: number;
  readonly high: number;
}

const IMMEDIATE_LIMIT = 1n << 63n;

/** Returns the word of a natural number below 2^63, or undefined for other numbers. */
function smallNumber(heap: SourceHeap, offset: number): Immediate | undefined {
  const negative = heap.bytes[offset + SOURCE.bigNegative] !== 0;
  const digits = heap.word(offset + SOURCE.bigDigits);
  if (negative || digits > 2) return undefined;
  const low = digits >= 1 ? heap.word(offset + SOURCE.bigData) : 0;
  const high = digits >= 2 ? heap.word(offset + SOURCE.bigData + 4) : 0;
  if ((BigInt(high) << 32n) + BigInt(low) >= IMMEDIATE_LIMIT) return undefined;
  return { low: ((low << 1) | 1) >>> 0, high: ((high << 1) | (low >>> 31)) >>> 0 };
}

function limbs(digits: number): number {
  return Math.ceil(digits / 2);
}

/** Returns the size in bytes of the object at `offset` in a 64-bit module. */
function widenedBytes(heap: SourceHeap, offset: number): number {
  const tag = heap.tag(offset);
  if (tag <= TAG.constructorMax) {
    return OBJECT_HEADER_BYTES + TARGET.wordBytes * heap.count(offset) + roundUpTo8(heap.scalarBytes(offset));
  }
  switch (tag) {
    case TAG.array:
      return TARGET.arrayData + TARGET.wordBytes * heap.word(offset + SOURCE.arrayLength);
    case TAG.scalarArray:
      return roundUpTo8(TARGET.scalarArrayData + heap.count(offset) * heap.word(offset + SOURCE.scalarArrayLength));
    case TAG.string:
      return roundUpTo8(TARGET.stringData + heap.word(offset + SOURCE.stringBytes));
    case TAG.bigNumber:
      return TARGET.bigData + TARGET.wordBytes * limbs(heap.word(offset + SOURCE.bigDigits));
    case TAG.reference:
      return OBJECT_HEADER_BYTES + TARGET.wordBytes;
    default: // a thunk or a task; the heap rejects every other tag
      return OBJECT_HEADER_BYTES + 2 * TARGET.wordBytes;
  }
}

/**
 * The new offsets of all objects, indexed by source offset / 4: an even offset, or (odd) twice the index of an
 * immediate plus 1.
 */
class Placement {
  readonly offsets: Uint32Array;
  readonly immediates: Immediate[] = [];
  /** Size in bytes of the whole 64-bit module. */
  readonly end: number;

  constructor(heap: SourceHeap) {
    this.offsets = new Uint32Array(Math.ceil(heap.bytes.length / 4) + 1);
    let end: number = TARGET.firstObjectOffset;
    heap.forEachObject((offset) => {
      const immediate = heap.tag(offset) === TAG.bigNumber ? smallNumber(heap, offset) : undefined;
      if (immediate === undefined) {
        this.offsets[offset >>> 2] = end;
        end += widenedBytes(heap, offset);
      } else {
        this.offsets[offset >>> 2] = this.immediates.push(immediate) * 2 - 1;
      }
    });
    this.end = end;
  }
}

/** Copies objects to their new offsets. */
class Widener {
  readonly #heap: SourceHeap;
  readonly #placement: Placement;
  readonly #image: ModuleImage;
  readonly #module: string;

  constructor(heap: SourceHeap, placement: Placement, image: ModuleImage, module: string) {
    this.#heap = heap;
    this.#placement = placement;
    this.#image = image;
    this.#module = module;
  }

  /** Writes the 64-bit equivalent of the 32-bit word `word` at byte `target` of the image. */
  putWord(target: number, word: number): void {
    if (word & 1) {
      this.#image.putHalves(target, word, 0);
      return;
    }
    const { bytes, base } = this.#heap;
    const offset = word - base;
    const entry = offset < 0 || offset >= bytes.length ? 0 : (this.#placement.offsets[offset >>> 2] as number);
    if (entry === 0) throw damagedModule(this.#module, `a pointer to no object (${word.toString(16)})`);
    if (entry & 1) {
      const immediate = this.#placement.immediates[entry >>> 1] as Immediate;
      this.#image.putHalves(target, immediate.low, immediate.high);
    } else {
      this.#image.putNumber(target, this.#image.base + entry);
    }
  }

  copy(offset: number): void {
    const target = this.#placement.offsets[offset >>> 2] as number;
    if (target & 1) return;
    this.#image.bytes.set(this.#heap.bytes.subarray(offset, offset + OBJECT_HEADER_BYTES), target);
    const tag = this.#heap.tag(offset);
    if (tag <= TAG.constructorMax) this.#copyConstructor(offset, target);
    else if (tag === TAG.array) this.#copyArray(offset, target);
    else if (tag === TAG.scalarArray) this.#copyScalars(offset, target);
    else if (tag === TAG.string) this.#copyString(offset, target);
    else if (tag === TAG.bigNumber) this.#copyBigNumber(offset, target);
    else this.#copyOptionalWords(offset, target, tag === TAG.reference ? 1 : 2);
  }

  #copyConstructor(offset: number, target: number): void {
    const heap = this.#heap;
    const fields = heap.count(offset);
    const scalars = heap.scalarBytes(offset);
    const size = OBJECT_HEADER_BYTES + TARGET.wordBytes * fields + roundUpTo8(scalars);
    this.#image.view.setUint16(target + SIZE_OFFSET, size, true);
    for (let field = 0; field < fields; field += 1) {
      this.putWord(target + OBJECT_HEADER_BYTES + 8 * field, heap.word(offset + OBJECT_HEADER_BYTES + 4 * field));
    }
    const from = offset + OBJECT_HEADER_BYTES + 4 * fields;
    this.#image.bytes.set(heap.bytes.subarray(from, from + scalars), target + OBJECT_HEADER_BYTES + 8 * fields);
    // Levels and expressions also have this layout. Users of the list compare the hash.
    if ((heap.tag(offset) === 1 || heap.tag(offset) === 2) && fields === 2 && scalars === 8) {
      this.#image.possibleNames.push(this.#image.base + target);
    }
  }

  #copyArray(offset: number, target: number): void {
    const length = this.#heap.word(offset + SOURCE.arrayLength);
    this.#image.putNumber(target + TARGET.arrayLength, length);
    this.#image.putNumber(target + TARGET.arrayCapacity, length);
    for (let index = 0; index < length; index += 1) {
      this.putWord(target + TARGET.arrayData + 8 * index, this.#heap.word(offset + SOURCE.arrayData + 4 * index));
    }
  }

  #copyScalars(offset: number, target: number): void {
    const length = this.#heap.word(offset + SOURCE.scalarArrayLength);
    this.#image.putNumber(target + TARGET.scalarArrayLength, length);
    this.#image.putNumber(target + TARGET.scalarArrayCapacity, length);
    const from = offset + SOURCE.scalarArrayData;
    const data = this.#heap.bytes.subarray(from, from + this.#heap.count(offset) * length);
    this.#image.bytes.set(data, target + TARGET.scalarArrayData);
  }

  #copyString(offset: number, target: number): void {
    const bytes = this.#heap.word(offset + SOURCE.stringBytes);
    this.#image.putNumber(target + TARGET.stringBytes, bytes);
    this.#image.putNumber(target + TARGET.stringCapacity, bytes);
    this.#image.putNumber(target + TARGET.stringLength, this.#heap.word(offset + SOURCE.stringLength));
    const from = offset + SOURCE.stringData;
    this.#image.bytes.set(this.#heap.bytes.subarray(from, from + bytes), target + TARGET.stringData);
  }

  #copyBigNumber(offset: number, target: number): void {
    const digits = this.#heap.word(offset + SOURCE.bigDigits);
    const negative = this.#heap.bytes[offset + SOURCE.bigNegative] !== 0;
    const { view, bytes } = this.#image;
    view.setInt32(target + TARGET.bigAllocated, limbs(digits), true);
    view.setInt32(target + TARGET.bigSize, negative ? -limbs(digits) : limbs(digits), true);
    this.#image.putNumber(target + TARGET.bigPointer, this.#image.base + target + TARGET.bigData);
    const from = offset + SOURCE.bigData;
    bytes.set(this.#heap.bytes.subarray(from, from + 4 * digits), target + TARGET.bigData);
    view.setUint16(target + SIZE_OFFSET, TARGET.bigData + 8 * limbs(digits), true);
  }

  /** Copies the words of thunks, tasks and references, which may be null. */
  #copyOptionalWords(offset: number, target: number, words: number): void {
    for (let index = 0; index < words; index += 1) {
      const word = this.#heap.word(offset + OBJECT_HEADER_BYTES + 4 * index);
      if (word !== 0) this.putWord(target + OBJECT_HEADER_BYTES + 8 * index, word);
    }
  }
}

/**
 * Widens a module.
 * @param source a complete 32-bit module
 * @param module its path, for messages
 * @param header the first 80 bytes of the result (`moduleHeader`)
 * @param base address at which the result will be mapped; modules of a library must not overlap
 * @throws StpError STP1204 if the module is damaged
 */
export function widenModule(source: Uint8Array, module: string, header: Uint8Array, base: number): ModuleImage {
  const heap = new SourceHeap(source, module);
  const placement = new Placement(heap);
  const image = new ModuleImage(placement.end, base);
  image.bytes.set(header.subarray(0, MODULE_HEADER_BYTES), 0);
  image.putNumber(TARGET.baseOffset, base);
  const widener = new Widener(heap, placement, image, module);
  widener.putWord(TARGET.rootOffset, heap.root);
  heap.forEachObject((offset) => widener.copy(offset));
  return image;
}
