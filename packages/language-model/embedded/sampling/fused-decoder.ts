/**
 * The decoder for sampling: a model's weights are initializers (ONNX Runtime packs constant matrices for its kernels
 * once), and matrices with the same input are concatenated.
 */
import type { Architecture } from '../../checkpoint/architecture.ts';
import { biasTensor, type LayerNames, type Projection } from '../../checkpoint/llama-tensors.ts';
import type { Tensor } from '../../checkpoint/safetensors.ts';
import { Decoder, type Projections } from '../decoder/decoder.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { add } from '../onnx/operations/arithmetic.ts';
import { concatenate } from '../onnx/operations/layout.ts';
import { linear } from '../onnx/operations/linear.ts';
import { logSoftmax } from '../onnx/operations/transformer.ts';
import { addAndNorm, split } from './fused-operations.ts';

export interface Weights extends Architecture {
  readonly tensors: ReadonlyMap<string, Tensor>;
}

export class FusedDecoder extends Decoder {
  readonly #tensors: ReadonlyMap<string, Tensor>;

  constructor(graph: Graph, weights: Weights) {
    super(graph, weights);
    this.#tensors = weights.tensors;
  }

  /** Returns log-probabilities of the next token for rows of `hidden`: [rows, vocabularySize]. */
  logProbabilities(hidden: Value): Value {
    return logSoftmax(this.logits(hidden));
  }

  /** Computes all three by one product, and rotates query and key together: their heads lie side by side. */
  protected override projections(input: Value, names: LayerNames, positions: Value): Omit<Projections, 'layer'> {
    const keySize = this.shape.keyValueHeads * this.headSize;
    const querySize = this.shape.heads * this.headSize;
    const product = this.#products(input, names, ['query', 'key', 'value']);
    const [turning, value] = split(product, [querySize + keySize, keySize]);
    const [query, key] = split(this.rotated(this.#bothNormed(turning!, names, querySize, keySize), positions), [
      querySize,
      keySize,
    ]);
    return { query: query!, key: key!, value: value! };
  }

  protected override product(input: Value, names: LayerNames, projection: Projection): Value {
    return this.#products(input, names, [projection]);
  }

  protected override addAndNorm(left: Value, right: Value, gain: string): readonly [sum: Value, norm: Value] {
    return addAndNorm(left, right, this.weight(gain), this.constants.rmsEpsilon);
  }

  protected override weight(name: string): Value {
    const tensor = this.#tensors.get(name)!;
    return this.graph.initializer(name, tensor.shape, tensor.values);
  }

  #bothNormed(value: Value, names: LayerNames, querySize: number, keySize: number): Value {
    if (!this.constants.headNorms) return value;
    const [query, key] = split(value, [querySize, keySize]);
    return concatenate([this.headsNormed(query!, names.queryNorm), this.headsNormed(key!, names.keyNorm)], 1);
  }

  /** Multiplies one input by several concatenated matrices of a layer, each with its bias if the model has one. */
  #products(input: Value, names: LayerNames, projections: readonly Projection[]): Value {
    const product = linear(input, this.#stacked(projections.map((projection) => names[projection])));
    const biased = this.constants.biases ?? [];
    if (!projections.some((projection) => biased.includes(projection))) return product;
    const parts = projections.map((projection) => {
      const weight = names[projection];
      const rows = this.#tensors.get(weight)!.shape[0]!;
      return this.#tensors.get(biasTensor(weight))?.values ?? new Float32Array(rows);
    });
    const name = projections.map((projection) => biasTensor(names[projection])).join('+');
    const values = joined(parts);
    return add(product, this.graph.initializer(name, [values.length], values));
  }

  /** Concatenates matrices [out, in] with equal `in` along the first axis. */
  #stacked(names: readonly string[]): Value {
    if (names.length === 1) return this.weight(names[0]!);
    const parts = names.map((name) => this.#tensors.get(name)!);
    const rows = parts.reduce((sum, { shape }) => sum + shape[0]!, 0);
    const values = joined(parts.map((part) => part.values));
    return this.graph.initializer(names.join('+'), [rows, parts[0]!.shape[1]!], values);
  }
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const values = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    values.set(part, offset);
    offset += part.length;
  }
  return values;
}
