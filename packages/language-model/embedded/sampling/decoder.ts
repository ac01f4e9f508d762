/**
 * The parts of the decoder that decoding and prefill share, with the weights of a checkpoint baked in as initializers
 * (ONNX Runtime packs constant matrices for its kernels once). Attention differs between the two and is theirs.
 */

import {
  biasTensor,
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  headSizeOf,
  type LlamaConstants,
  layerTensors,
  type Projection,
} from '../../checkpoint/llama-tensors.ts';
import type { Tensor } from '../../checkpoint/safetensors.ts';
import type { ModelShape } from '../../trainer.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { add, multiply, silu } from '../onnx/operations/arithmetic.ts';
import { concatenate, gatherRows, reshape } from '../onnx/operations/layout.ts';
import { linear } from '../onnx/operations/linear.ts';
import { logSoftmax, rmsNorm, rotary } from '../onnx/operations/transformer.ts';
import type { Dimension } from '../onnx/shape.ts';
import { addAndNorm, split } from './fused-operations.ts';
import { rotaryTables } from './rotary-tables.ts';

/** Added to scores that must not be seen: exp of it is 0, and it is finite, so a row of nothing else is no NaN. */
export const MASKED = -1e9;

export interface Weights {
  readonly shape: ModelShape;
  readonly constants: LlamaConstants;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/** Query, key and value of the new tokens of one layer, [tokens, heads · headSize] each, rotated to their positions. */
export interface Projections {
  readonly layer: number;
  readonly query: Value;
  readonly key: Value;
  readonly value: Value;
}

export interface DecoderRequest {
  /** int64 [tokens]. */
  readonly tokens: Value;
  /** int64; [tokens, 1] (each token in a row of its own) or [1, tokens] (one row). */
  readonly positions: Value;
  /** From a layer's projections to what its heads give, [tokens, heads · headSize]. */
  readonly attend: (projections: Projections) => Value;
}

export class Decoder {
  readonly shape: ModelShape;
  readonly headSize: number;
  readonly #graph: Graph;
  readonly #weights: Weights;
  readonly #embedding: Value;
  readonly #cosines: Value;
  readonly #sines: Value;

  constructor(graph: Graph, weights: Weights) {
    const { shape, constants } = weights;
    this.shape = shape;
    this.headSize = headSizeOf(shape, constants);
    this.#graph = graph;
    this.#weights = weights;
    this.#embedding = this.#weight(EMBEDDING_TENSOR);
    const [cosines, sines] = rotaryTables(shape.contextLength, this.headSize, constants);
    const tableShape = [shape.contextLength, this.headSize / 2];
    this.#cosines = graph.initializer('rotary.cosines', tableShape, cosines);
    this.#sines = graph.initializer('rotary.sines', tableShape, sines);
  }

  /** The last layer's state of each token after the final norm, as the head sees it: [tokens, hiddenSize]. */
  hidden({ tokens, positions, attend }: DecoderRequest): Value {
    const { layers } = this.shape;
    const epsilon = this.#weights.constants.rmsEpsilon;
    let hidden = gatherRows(this.#embedding, tokens);
    let normed = rmsNorm(hidden, this.#weight(layerTensors(0).inputNorm), epsilon);
    for (let layer = 0; layer < layers; layer++) {
      const names = layerTensors(layer);
      const attended = attend({ layer, ...this.#projections(normed, names, positions) });
      const product = (input: Value, projection: Projection): Value => this.#product(input, names, [projection]);
      const mixed = product(attended, 'output');
      [hidden, normed] = addAndNorm(hidden, mixed, this.#weight(names.postNorm), epsilon);
      const gate = silu(product(normed, 'gate'));
      const inner = product(multiply(gate, product(normed, 'up')), 'down');
      const nextNorm = layer + 1 < layers ? layerTensors(layer + 1).inputNorm : FINAL_NORM_TENSOR;
      [hidden, normed] = addAndNorm(hidden, inner, this.#weight(nextNorm), epsilon);
    }
    return normed;
  }

  /** Log-probabilities of the next token for rows of `hidden`: [rows, vocabularySize]. */
  logProbabilities(hidden: Value): Value {
    const head = this.shape.tiedEmbeddings === false ? this.#weight(HEAD_TENSOR) : this.#embedding;
    return logSoftmax(linear(hidden, head));
  }

  /** Query, key and value by one product, query and key turned together: heads lie side by side, whose they are. */
  #projections(input: Value, names: LayerNames, positions: Value): Omit<Projections, 'layer'> {
    const keySize = this.shape.keyValueHeads * this.headSize;
    const querySize = this.shape.heads * this.headSize;
    const product = this.#product(input, names, ['query', 'key', 'value']);
    const [turning, value] = split(product, [querySize + keySize, keySize]);
    const normed = this.#weights.constants.headNorms
      ? this.#headsNormed(turning!, names, querySize, keySize)
      : turning!;
    const [query, key] = split(this.#rotated(normed, positions), [querySize, keySize]);
    return { query: query!, key: key!, value: value! };
  }

  /** Each head of the queries and of the keys, normalised by itself. */
  #headsNormed(value: Value, names: LayerNames, querySize: number, keySize: number): Value {
    const parts = split(value, [querySize, keySize]).map((part, index) => {
      const [tokens, width] = part.shape as readonly [Dimension, number];
      const gain = this.#weight(index === 0 ? names.queryNorm : names.keyNorm);
      const heads = reshape(part, [tokens, width / this.headSize, this.headSize]);
      return reshape(rmsNorm(heads, gain, this.#weights.constants.rmsEpsilon), [tokens, width]);
    });
    return concatenate(parts, 1);
  }

  #rotated(value: Value, positions: Value): Value {
    const [rows, length] = positions.shape as readonly [Dimension, Dimension];
    const [tokens, width] = value.shape as readonly [Dimension, Dimension];
    const rowed = rotary(reshape(value, [rows, length, width]), positions, this.#cosines, this.#sines);
    return reshape(rowed, [tokens, width]);
  }

  /** Multiplies one input by several matrices of a layer, side by side, each with its bias if the model has one. */
  #product(input: Value, names: LayerNames, projections: readonly Projection[]): Value {
    const product = linear(input, this.#stacked(projections.map((projection) => names[projection])));
    const biased = this.#weights.constants.biases ?? [];
    if (!projections.some((projection) => biased.includes(projection))) return product;
    const parts = projections.map((projection) => {
      const weight = names[projection];
      const rows = this.#weights.tensors.get(weight)!.shape[0]!;
      return this.#weights.tensors.get(biasTensor(weight))?.values ?? new Float32Array(rows);
    });
    const name = projections.map((projection) => biasTensor(names[projection])).join('+');
    const values = joined(parts);
    return add(product, this.#graph.initializer(name, [values.length], values));
  }

  /** Matrices [out, in] of one `in`, one above the other. */
  #stacked(names: readonly string[]): Value {
    if (names.length === 1) return this.#weight(names[0]!);
    const parts = names.map((name) => this.#weights.tensors.get(name)!);
    const rows = parts.reduce((sum, { shape }) => sum + shape[0]!, 0);
    const values = joined(parts.map((part) => part.values));
    return this.#graph.initializer(names.join('+'), [rows, parts[0]!.shape[1]!], values);
  }

  #weight(name: string): Value {
    const tensor = this.#weights.tensors.get(name)!;
    return this.#graph.initializer(name, tensor.shape, tensor.values);
  }
}

type LayerNames = ReturnType<typeof layerTensors>;

function joined(parts: readonly Float32Array[]): Float32Array {
  const values = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    values.set(part, offset);
    offset += part.length;
  }
  return values;
}
