/**
 * Keys and values of every row, [rows, keyValueHeads, positions, headSize] for each layer, so that a head's past is
 * contiguous in memory. The active rows are at the start of each buffer. All rows have the same stride: the length that
 * the longest needs, rounded up. Rows move when the stride changes, and memory grows with the rows in use. A new row
 * keeps old contents; the bias hides them until they are overwritten.
 */
import { Tensor } from 'onnxruntime-node';
import { headSizeOf } from '../../checkpoint/llama-tensors.ts';
import { MASKED } from '../decoder/decoder.ts';
import { keyCacheName, valueCacheName } from './decode-graph.ts';
import type { Weights } from './fused-decoder.ts';
import type { Prefix } from './reader.ts';

/**
 * A step has span = 1 + past scores in each row, the new token's first; the span is always a multiple of this. Softmax
 * and the products over the past then process whole vector blocks in the same order for every row, whatever the length
 * of other rows: a longer past only adds blocks of exact zeros (sampler.test.ts, "batching"). 64 is 16 lanes unrolled
 * four times.
 */
const SPAN_STEP = 64;
/** Number of steps for which a smaller stride must have sufficed before rows move: moving costs about three steps. */
const STEPS_BEFORE_SHRINKING = 16;

/** Keys or values of one layer. In a value buffer each head starts with zeros, at the new token's position. */
interface Buffer {
  readonly name: string;
  readonly offset: 0 | 1;
  data: Float32Array;
}

export class KeyValueCache {
  readonly #heads: number;
  readonly #headSize: number;
  readonly #buffers: readonly Buffer[];
  /** Number of rows in use. */
  #rows = 0;
  #span = SPAN_STEP;
  #stepsTooWide = 0;

  constructor({ shape, constants }: Pick<Weights, 'shape' | 'constants'>) {
    this.#heads = shape.keyValueHeads;
    this.#headSize = headSizeOf(shape, constants);
    // Same order as the graphs' `fresh`.
    this.#buffers = Array.from({ length: shape.layers }, (_, layer): Buffer[] => [
      { name: keyCacheName(layer), offset: 0, data: new Float32Array() },
      { name: valueCacheName(layer), offset: 1, data: new Float32Array() },
    ]).flat();
  }

  /**
   * Returns a step's inputs for the first rows, of these lengths: their cache, and the bias that hides other
   * contents.
   */
  inputs(lengths: Int32Array): Record<string, Tensor> {
    this.#rows = lengths.length;
    this.#fit(lengths);
    const rows = lengths.length;
    const span = this.#span;
    const bias = new Float32Array(rows * span).fill(MASKED);
    lengths.forEach((length, row) => {
      bias.fill(0, row * span, row * span + 1 + length);
    });
    const inputs: Record<string, Tensor> = { bias: new Tensor('float32', bias, [rows, 1, 1, span]) };
    for (const buffer of this.#buffers) {
      const dimensions = [rows, this.#heads, this.#capacity(buffer), this.#headSize];
      const elements = rows * this.#heads * this.#capacity(buffer) * this.#headSize;
      inputs[buffer.name] = new Tensor('float32', buffer.data.subarray(0, elements), dimensions);
    }
    return inputs;
  }

  /** Copies row `from` to row `to`. */
  move(from: number, to: number): void {
    for (const buffer of this.#buffers) {
      const elements = this.#heads * this.#capacity(buffer) * this.#headSize;
      buffer.data.copyWithin(to * elements, from * elements, (from + 1) * elements);
    }
  }

  /** Writes a prompt's keys and values into a row, from position 0. */
  setPrefix(row: number, prefix: Prefix): void {
    this.#ensure(prefix.length, row + 1);
    const size = this.#headSize;
    this.#buffers.forEach((buffer, index) => {
      for (let head = 0; head < this.#heads; head++) {
        const from = (index * this.#heads + head) * prefix.paddedLength * size;
        buffer.data.set(prefix.fresh.subarray(from, from + prefix.length * size), this.#start(buffer, row, head));
      }
    });
  }

  /** Appends the step's new keys and values (`fresh` of the decode graph) to each row. */
  append(fresh: Float32Array, lengths: Int32Array): void {
    this.#ensure(Math.max(...lengths) + 1);
    const size = this.#headSize;
    let from = 0;
    for (let row = 0; row < lengths.length; row++) {
      for (const buffer of this.#buffers) {
        for (let head = 0; head < this.#heads; head++) {
          const to = this.#start(buffer, row, head) + lengths[row]! * size;
          for (let at = 0; at < size; at++) buffer.data[to + at] = fresh[from++]!;
        }
      }
    }
  }

  #capacity(buffer: Buffer): number {
    return this.#span - 1 + buffer.offset;
  }

  /** Returns the index of position 0 of a row's head. */
  #start(buffer: Buffer, row: number, head: number): number {
    return ((row * this.#heads + head) * this.#capacity(buffer) + buffer.offset) * this.#headSize;
  }

  /** Makes room for this many rows, and for a row of this length with a new token. */
  #ensure(length: number, rows = this.#rows): void {
    if (length >= this.#span || rows > this.#rows)
      this.#arrange(Math.max(rows, this.#rows), Math.max(this.#span, spanFor(length)));
  }

  #fit(lengths: Int32Array): void {
    const wanted = spanFor(Math.max(...lengths));
    this.#stepsTooWide = wanted < this.#span ? this.#stepsTooWide + 1 : 0;
    if (wanted > this.#span || this.#stepsTooWide > STEPS_BEFORE_SHRINKING) this.#arrange(this.#rows, wanted);
  }

  /** Moves the rows to another stride, in the same memory if it suffices. */
  #arrange(rows: number, span: number): void {
    const [oldSpan, size] = [this.#span, this.#headSize];
    const kept = Math.max(0, Math.min(span, oldSpan) - 1) * size;
    const heads = rows * this.#heads;
    const oldHeads = Math.min(rows, this.#rows) * this.#heads;
    for (const buffer of this.#buffers) {
      const { data: source, offset } = buffer;
      const elements = heads * span * size;
      // The system allocates memory on its first write, so reserving twice as much is free until it is used.
      if (elements > source.length) buffer.data = new Float32Array(2 * elements);
      const target = buffer.data;
      for (let step = 0; step < oldHeads; step++) {
        // A larger stride moves heads from the last to the first, a smaller one the other way, so that none is
        // overwritten.
        const head = span > oldSpan ? oldHeads - 1 - step : step;
        const from = (head * (oldSpan - 1 + offset) + offset) * size;
        const to = (head * (span - 1 + offset) + offset) * size;
        if (target === source) target.copyWithin(to, from, from + kept);
        else target.set(source.subarray(from, from + kept), to);
      }
      if (offset === 0) continue;
      for (let head = 0; head < heads; head++) target.fill(0, head * span * size, (head * span + 1) * size);
    }
    this.#rows = rows;
    this.#span = span;
    this.#stepsTooWide = 0;
  }
}

/** Returns the smallest span with room for a row of this length and a new token. */
function spanFor(length: number): number {
  return Math.ceil((length + 1) / SPAN_STEP) * SPAN_STEP;
}
