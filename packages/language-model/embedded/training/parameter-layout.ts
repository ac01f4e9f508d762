/**
 * Where each weight of the decoder lies in one flat float32 vector, under the names, shapes and order of the checkpoint.
 * The training graph, the optimizer and the checkpoint see the same vector through it.
 */
import { EMBEDDING_TENSOR, type LlamaParts, llamaTensorShapes } from '../../checkpoint/llama-tensors.ts';
import type { Tensor } from '../../checkpoint/safetensors.ts';
import type { ModelShape } from '../../trainer.ts';

export interface ParameterEntry {
  readonly name: string;
  readonly shape: readonly number[];
  /** First element in the flat vector. */
  readonly offset: number;
  readonly size: number;
  /** Matrices are decayed; norms, biases and the embedding are not. */
  readonly decays: boolean;
}

export interface ParameterLayout {
  readonly entries: readonly ParameterEntry[];
  /** Elements of the flat vector. */
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

/** The flat vector of a model's tensors. */
export function flatParameters({ entries, size }: ParameterLayout, tensors: ReadonlyMap<string, Tensor>): Float32Array {
  const parameters = new Float32Array(size);
  for (const { name, offset } of entries) parameters.set(tensors.get(name)!.values, offset);
  return parameters;
}

/** The tensors of a flat vector (views, not copies). */
export function tensorsOf({ entries }: ParameterLayout, parameters: Float32Array): Map<string, Tensor> {
  return new Map(
    entries.map((entry) => [entry.name, { shape: entry.shape, values: parameterView(parameters, entry) }]),
  );
}

/** The part of the flat vector that holds one weight (a view, not a copy). */
export function parameterView(parameters: Float32Array, entry: ParameterEntry): Float32Array {
  return parameters.subarray(entry.offset, entry.offset + entry.size);
}
