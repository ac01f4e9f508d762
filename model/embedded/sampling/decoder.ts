/**
 * The parts of the decoder that decoding and prefill share, with the weights of a checkpoint baked in as initializers
 * (ONNX Runtime packs constant matrices for its kernels once). Attention differs between the two and is theirs.
 */

import { Tensor } from 'onnxruntime-node';
import {
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  type LlamaConstants,
  layerTensors,
} from '../../checkpoint/llama-tensors.ts';
import type { Tensor as WeightTensor } from '../../checkpoint/safetensors.ts';
import type { ModelShape } from '../../trainer.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { add, multiply, silu } from '../onnx/operations/arithmetic.ts';
import { gatherRows, reshape } from '../onnx/operations/layout.ts';
import { linear } from '../onnx/operations/linear.ts';
import { logSoftmax, rmsNorm, rotary } from '../onnx/operations/transformer.ts';
import type { Dimension } from '../onnx/shape.ts';

/** Added to scores that must not be seen: exp of it is 0, and it is finite, so a row of nothing else is no NaN. */
export const MASKED = -1e9;

/** Scores of a text's own tokens, [length, length]: each sees itself and those before it. */
export function causalBias(length: number): Tensor {
  const bias = new Float32Array(length * length);
  for (let row = 0; row < length; row++) bias.fill(MASKED, row * length + row + 1, (row + 1) * length);
  return new Tensor('float32', bias, [length, length]);
}

export interface Weights {
  readonly shape: ModelShape;
  readonly constants: LlamaConstants;
  readonly tensors: ReadonlyMap<string, WeightTensor>;
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
  /** From a layer's projections to what its heads give, [tokens, hiddenSize]. */
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
    this.headSize = shape.hiddenSize / shape.heads;
    this.#graph = graph;
    this.#weights = weights;
    this.#embedding = this.#weight(EMBEDDING_TENSOR);
    const [cosines, sines] = rotaryTables(shape.contextLength, this.headSize, constants.ropeTheta);
    const tableShape = [shape.contextLength, this.headSize / 2];
    this.#cosines = graph.initializer('rotary.cosines', tableShape, cosines);
    this.#sines = graph.initializer('rotary.sines', tableShape, sines);
  }

  /** Hidden state of each token after the last layer, before the final norm: [tokens, hiddenSize]. */
  hidden({ tokens, positions, attend }: DecoderRequest): Value {
    let hidden = gatherRows(this.#embedding, tokens);
    for (let layer = 0; layer < this.shape.layers; layer++) {
      const names = layerTensors(layer);
      const input = rmsNorm(hidden, this.#weight(names.inputNorm), this.#weights.constants.rmsEpsilon);
      const attended = attend({
        layer,
        query: this.#rotated(linear(input, this.#weight(names.query)), positions),
        key: this.#rotated(linear(input, this.#weight(names.key)), positions),
        value: linear(input, this.#weight(names.value)),
      });
      hidden = add(hidden, linear(attended, this.#weight(names.output)));
      const normed = rmsNorm(hidden, this.#weight(names.postNorm), this.#weights.constants.rmsEpsilon);
      const gate = silu(linear(normed, this.#weight(names.gate)));
      const inner = multiply(gate, linear(normed, this.#weight(names.up)));
      hidden = add(hidden, linear(inner, this.#weight(names.down)));
    }
    return hidden;
  }

  /** The hidden state as the head sees it. */
  finalNorm(hidden: Value): Value {
    return rmsNorm(hidden, this.#weight(FINAL_NORM_TENSOR), this.#weights.constants.rmsEpsilon);
  }

  /** Log-probabilities of the next token for rows of the hidden state: [rows, vocabularySize]. */
  logProbabilities(hidden: Value): Value {
    const head = this.shape.tiedEmbeddings === false ? this.#weight(HEAD_TENSOR) : this.#embedding;
    return logSoftmax(linear(this.finalNorm(hidden), head));
  }

  #rotated(value: Value, positions: Value): Value {
    const [rows, length] = positions.shape as readonly [Dimension, Dimension];
    const [tokens, width] = value.shape as readonly [Dimension, Dimension];
    const rowed = rotary(reshape(value, [rows, length, width]), positions, this.#cosines, this.#sines);
    return reshape(rowed, [tokens, width]);
  }

  #weight(name: string): Value {
    const tensor = this.#weights.tensors.get(name)!;
    return this.#graph.initializer(name, tensor.shape, tensor.values);
  }
}

/** cos and sin of position · theta^(−2i/headSize), [positions, headSize/2] each (RoFormer, Su et al. 2021). */
function rotaryTables(positions: number, headSize: number, theta: number): readonly [Float32Array, Float32Array] {
  const half = headSize / 2;
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  for (let position = 0; position < positions; position++) {
    for (let index = 0; index < half; index++) {
      const angle = position * theta ** (-index / half);
      cosines[position * half + index] = Math.cos(angle);
      sines[position * half + index] = Math.sin(angle);
    }
  }
  return [cosines, sines];
}
