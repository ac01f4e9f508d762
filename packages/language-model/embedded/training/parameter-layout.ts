/**
 * The layout of the decoder's weights in one flat float32 vector, with the checkpoint's names, shapes and order. The
 * training graph, the optimizer and the checkpoint share this layout.
 */
import { EMBEDDING_TENSOR, type LlamaParts, llamaTensorShapes } from '../../checkpoint/llama-tensors.ts';
import type { Tensor } from '../../checkpoint/safetensors.ts';
import type { ModelShape } from '../../trainer.ts';

export interface ParameterEntry {
  readonly name: string;
  readonly shape: readonly number[];
  /** Index of the first element in the flat vector. */
  readonly offset: number;
  readonly size: number;
  /** Whether weight decay applies: yes for matrices; no for norms, biases and the embedding. */
  readonly decays: boolean;
}

export interface ParameterLayout {
  readonly entries: readonly ParameterEntry[];
  /** Length of the flat vector. */
  readonly size: number;
}

export function parameterLayout(shape: ModelShape, parts?: LlamaParts): ParameterLayout {
  let offset = 0;
  const entries = Array.from(llamaTensorShapes(shape, parts), ([name, dimensions]): ParameterEntry => {
    const size = dimensions.reduce((product, dimension) => product * dimension, 1);
    const entry = { name, shape: dimensions, offset, size, decays: dimensions.length > 1 && name !== EMBEDDING_TENSOR };
    offset += size;
    return entry;
  });
  return { entries, size: offset };
}

/** Returns a model's tensors as a flat vector. */
export function flatParameters({ entries, size }: ParameterLayout, tensors: ReadonlyMap<string, Tensor>): Float32Array {
  const parameters = new Float32Array(size);
  for (const { name, offset } of entries) parameters.set(tensors.get(name)!.values, offset);
  return parameters;
}

/** Returns the tensors of a flat vector (views, not copies). */
export function tensorsOf({ entries }: ParameterLayout, parameters: Float32Array): Map<string, Tensor> {
  return new Map(
    entries.map((entry) => [entry.name, { shape: entry.shape, values: parameterView(parameters, entry) }]),
  );
}

/** Returns the part of the flat vector with one weight (a view, not a copy). */
export function parameterView(parameters: Float32Array, entry: ParameterEntry): Float32Array {
  return parameters.subarray(entry.offset, entry.offset + entry.size);
}
