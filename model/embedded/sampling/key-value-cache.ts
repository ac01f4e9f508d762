/**
 * Keys and values of every row, time-major: position p of row r lies at (p · rows + r) · width. The first positions of a
 * buffer are a contiguous head of it, so a step hands over as many as it needs without a copy. A row that starts anew
 * leaves what it held; the bias hides it until it is written over.
 */
import { Tensor } from 'onnxruntime-node';
import type { ModelShape } from '../../trainer.ts';
import { keyCacheName, valueCacheName } from './decode-graph.ts';
import type { Prefix } from './prefill.ts';

/** Added to scores that must not be seen: exp of it is 0, and it is finite, so a row of nothing else is no NaN. */
export const MASKED = -1e9;

/**
 * A step sees span = 1 + past scores a row, always a multiple of this, the new token's first. Softmax and the products
 * over the past then run through whole vector blocks in the same order for every row, however long its neighbours are:
 * more past only adds blocks of exact zeros (sampler.test.ts, "batch"). 64 covers 16-lane kernels unrolled four times.
 */
const SPAN_STEP = 64;

export class KeyValueCache {
  readonly #rows: number;
  readonly #width: number;
  readonly #positionsMax: number;
  /** Layer by layer keys then values, as in the graphs' `fresh`. */
  readonly #buffers: readonly Float32Array[];
  readonly #bias: Float32Array;
  readonly #dimensions: readonly [number, number, number];

  constructor(shape: ModelShape, rows: number) {
    const headSize = shape.hiddenSize / shape.heads;
    this.#rows = rows;
    this.#width = shape.keyValueHeads * headSize;
    this.#dimensions = [rows, shape.keyValueHeads, headSize];
    const spanMax = Math.ceil(shape.contextLength / SPAN_STEP) * SPAN_STEP;
    this.#positionsMax = spanMax - 1;
    this.#buffers = Array.from(
      { length: 2 * shape.layers },
      () => new Float32Array(this.#positionsMax * rows * this.#width),
    );
    this.#bias = new Float32Array(rows * spanMax);
  }

  /** Inputs of a step: the cache of as many positions as the longest row has, and the bias that hides the rest. */
  inputs(lengths: Int32Array): Record<string, Tensor> {
    let longest = 0;
    for (const length of lengths) longest = Math.max(longest, length);
    const span = Math.ceil((longest + 1) / SPAN_STEP) * SPAN_STEP;
    const past = span - 1;
    const bias = this.#bias.subarray(0, this.#rows * span).fill(MASKED);
    lengths.forEach((length, row) => {
      bias.fill(0, row * span, row * span + 1 + length);
    });
    const inputs: Record<string, Tensor> = { bias: new Tensor('float32', bias, [this.#rows, 1, 1, span]) };
    this.#buffers.forEach((buffer, index) => {
      const name = index % 2 === 0 ? keyCacheName(index / 2) : valueCacheName((index - 1) / 2);
      const head = buffer.subarray(0, past * this.#rows * this.#width);
      inputs[name] = new Tensor('float32', head, [past, ...this.#dimensions]);
    });
    return inputs;
  }

  /** Puts a prompt's keys and values into a row, from position 0. */
  place(row: number, prefix: Prefix): void {
    const width = this.#width;
    this.#buffers.forEach((buffer, index) => {
      const start = index * prefix.paddedLength;
      for (let position = 0; position < prefix.length; position++) {
        const from = (start + position) * width;
        buffer.set(prefix.fresh.subarray(from, from + width), (position * this.#rows + row) * width);
      }
    });
  }

  /** Puts the step's new keys and values (`fresh` of the decode graph) at each row's own length. */
  append(fresh: Float32Array, lengths: Int32Array): void {
    const width = this.#width;
    this.#buffers.forEach((buffer, index) => {
      for (let row = 0; row < this.#rows; row++) {
        const position = lengths[row]!;
        if (position >= this.#positionsMax) continue;
        const from = (index * this.#rows + row) * width;
        const to = (position * this.#rows + row) * width;
        for (let at = 0; at < width; at++) buffer[to + at] = fresh[from + at]!;
      }
    });
  }
}
