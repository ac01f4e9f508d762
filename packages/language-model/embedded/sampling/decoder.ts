/**
 * The parts of the decoder that decoding and prefill share, with the weights of a checkpoint baked in as initializers
 * (ONNX Runtime packs constant matrices for its kernels once). Attention differs between the two and is theirs.
 */

import {
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  type LlamaConstants,
  layerTensors,
} from '../../checkpoint/llama-tensors.ts';
import type { Tensor } from '../../checkpoint/safetensors.ts';
import type { ModelShape } from '../../trainer.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { multiply, silu } from '../onnx/operations/arithmetic.ts';
import { gatherRows, reshape } from '../onnx/operations/layout.ts';
import { linear } from '../onnx/operations/linear.ts';
import { logSoftmax, rmsNorm, rotary } from '../onnx/operations/transformer.ts';
import type { Dimension } from '../onnx/shape.ts';
import { addAndNorm, split } from './fused-operations.ts';

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

  /** The last layer's state of each token after the final norm, as the head sees it: [tokens, hiddenSize]. */
  hidden({ tokens, positions, attend }: DecoderRequest): Value {
    const { layers } = this.shape;
    const epsilon = this.#weights.constants.rmsEpsilon;
    let hidden = gatherRows(this.#embedding, tokens);
    let normed = rmsNorm(hidden, this.#weight(layerTensors(0).inputNorm), epsilon);
    for (let layer = 0; layer < layers; layer++) {
      const names = layerTensors(layer);
      const attended = attend({ layer, ...this.#projections(normed, names, positions) });
      const mixed = linear(attended, this.#weight(names.output));
      [hidden, normed] = addAndNorm(hidden, mixed, this.#weight(names.postNorm), epsilon);
      const gate = silu(linear(normed, this.#weight(names.gate)));
      const inner = linear(multiply(gate, linear(normed, this.#weight(names.up))), this.#weight(names.down));
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
  #projections(input: Value, names: ReturnType<typeof layerTensors>, positions: Value): Omit<Projections, 'layer'> {
    const keySize = this.shape.keyValueHeads * this.headSize;
    const querySize = this.shape.hiddenSize;
    const weight = this.#stacked([names.query, names.key, names.value]);
    const [turning, value] = split(linear(input, weight), [querySize + keySize, keySize]);
    const [query, key] = split(this.#rotated(turning!, positions), [querySize, keySize]);
    return { query: query!, key: key!, value: value! };
  }

  #rotated(value: Value, positions: Value): Value {
    const [rows, length] = positions.shape as readonly [Dimension, Dimension];
    const [tokens, width] = value.shape as readonly [Dimension, Dimension];
    const rowed = rotary(reshape(value, [rows, length, width]), positions, this.#cosines, this.#sines);
    return reshape(rowed, [tokens, width]);
  }

  /** Matrices [out, in] of one `in`, one above the other. */
  #stacked(names: readonly string[]): Value {
    const parts = names.map((name) => this.#weights.tensors.get(name)!);
    const values = new Float32Array(parts.reduce((sum, part) => sum + part.values.length, 0));
    let offset = 0;
    for (const part of parts) {
      values.set(part.values, offset);
      offset += part.values.length;
    }
    const rows = parts.reduce((sum, { shape }) => sum + shape[0]!, 0);
    return this.#graph.initializer(names.join('+'), [rows, parts[0]!.shape[1]!], values);
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
