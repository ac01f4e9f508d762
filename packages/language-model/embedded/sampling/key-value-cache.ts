/**
 * Keys and values of every row, [rows, keyValueHeads, positions, headSize] a layer, so that a head's past lies together
 * and streams from memory. The first rows are the head of each buffer. Rows stand as far apart as the longest needs, in
 * steps, and move when that changes; memory is what the rows in use need, and grows with them. A row that starts afresh
 * leaves what was there; the bias hides it until it is written over.
 */
import { Tensor } from 'onnxruntime-node';
import { headSizeOf } from '../../checkpoint/llama-tensors.ts';
import { MASKED } from '../decoder/decoder.ts';
import { keyCacheName, valueCacheName } from './decode-graph.ts';
import type { Weights } from './fused-decoder.ts';
import type { Prefix } from './reader.ts';

/**
 * A step sees span = 1 + past scores a row, always a multiple of this, the new token's first. Softmax and the products
 * over the past then run through whole vector blocks in the same order for every row, however long its neighbours are:
 * more past only adds blocks of exact zeros (sampler.test.ts, "batching"). 64 is 16 lanes unrolled four times.
 */
const SPAN_STEP = 64;
/** Steps that less room must have sufficed before rows move together: moving costs about as much as three steps. */
const STEPS_BEFORE_SHRINKING = 16;

/** Keys of one layer or values of one layer. A value buffer starts each head with zeros, in the place of the new token. */
interface Buffer {
  readonly name: string;
  readonly offset: 0 | 1;
  data: Float32Array;
}

export class KeyValueCache {
  readonly #heads: number;
  readonly #headSize: number;
  readonly #buffers: readonly Buffer[];
  /** Rows in use. */
  #rows = 0;
  #span = SPAN_STEP;
  #stepsTooWide = 0;

  constructor({ shape, constants }: Pick<Weights, 'shape' | 'constants'>) {
    this.#heads = shape.keyValueHeads;
    this.#headSize = headSizeOf(shape, constants);
    // In the order of the graphs' `fresh`.
    this.#buffers = Array.from({ length: shape.layers }, (_, layer): Buffer[] => [
      { name: keyCacheName(layer), offset: 0, data: new Float32Array() },
      { name: valueCacheName(layer), offset: 1, data: new Float32Array() },
    ]).flat();
  }

  /** Inputs of a step for the first rows, of these lengths: their cache, and the bias that hides what is not theirs. */
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

  /** Makes row `to` what row `from` is. */
  move(from: number, to: number): void {
    for (const buffer of this.#buffers) {
      const elements = this.#heads * this.#capacity(buffer) * this.#headSize;
      buffer.data.copyWithin(to * elements, from * elements, (from + 1) * elements);
    }
  }

  /** Puts a prompt's keys and values into a row, from position 0. */
  place(row: number, prefix: Prefix): void {
    this.#ensure(prefix.length, row + 1);
    const size = this.#headSize;
    this.#buffers.forEach((buffer, index) => {
      for (let head = 0; head < this.#heads; head++) {
        const from = (index * this.#heads + head) * prefix.paddedLength * size;
        buffer.data.set(prefix.fresh.subarray(from, from + prefix.length * size), this.#start(buffer, row, head));
      }
    });
  }

  /** Puts the step's new keys and values (`fresh` of the decode graph) behind each row's own length. */
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

  /** Index of position 0 of a row's head. */
  #start(buffer: Buffer, row: number, head: number): number {
    return ((row * this.#heads + head) * this.#capacity(buffer) + buffer.offset) * this.#headSize;
  }

  /** Room for a row of this length beside a new token, and for so many rows. */
  #ensure(length: number, rows = this.#rows): void {
    if (length >= this.#span || rows > this.#rows)
      this.#arrange(Math.max(rows, this.#rows), Math.max(this.#span, spanFor(length)));
  }

  #fit(lengths: Int32Array): void {
    const wanted = spanFor(Math.max(...lengths));
    this.#stepsTooWide = wanted < this.#span ? this.#stepsTooWide + 1 : 0;
    if (wanted > this.#span || this.#stepsTooWide > STEPS_BEFORE_SHRINKING) this.#arrange(this.#rows, wanted);
  }

  /** Moves what fits of every row to where another span has it, within the same memory if that suffices. */
  #arrange(rows: number, span: number): void {
    const [oldSpan, size] = [this.#span, this.#headSize];
    const kept = Math.max(0, Math.min(span, oldSpan) - 1) * size;
    const heads = rows * this.#heads;
    const oldHeads = Math.min(rows, this.#rows) * this.#heads;
    for (const buffer of this.#buffers) {
      const { data: source, offset } = buffer;
      const elements = heads * span * size;
      // The system gives memory when it is first written: room for twice as much costs nothing until it is used.
      if (elements > source.length) buffer.data = new Float32Array(2 * elements);
      const target = buffer.data;
      for (let step = 0; step < oldHeads; step++) {
        // Outwards from the last, inwards from the first: no head is written over before it has moved.
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

/** Smallest span with room for a row of this length and a new token. */
function spanFor(length: number): number {
  return Math.ceil((length + 1) / SPAN_STEP) * SPAN_STEP;
}
