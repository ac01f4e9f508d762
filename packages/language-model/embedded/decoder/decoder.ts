/**
 * The graph of a Llama-like decoder: RMSNorm, rotary positions, grouped-query attention, SwiGLU, a tied or separate
 * head, and the additions of Mistral, Qwen2 and Qwen3 (biases, query and key norms, other head sizes, scaled
 * positions). Training and sampling share the layers. Subclasses define how weights enter the graph, callers how tokens
 * attend.
 */
import type { Architecture } from '../../checkpoint/architecture.ts';
import {
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  headSizeOf,
  type LayerNames,
  layerTensors,
  type Projection,
} from '../../checkpoint/llama-tensors.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { multiply, silu } from '../onnx/operations/arithmetic.ts';
import { gatherRows, reshape } from '../onnx/operations/layout.ts';
import { linear } from '../onnx/operations/linear.ts';
import { rmsNorm, rotary } from '../onnx/operations/transformer.ts';
import type { Dimension } from '../onnx/shape.ts';
import { rotaryTables } from './rotary-tables.ts';

/** Added to the scores of hidden tokens: its exp is 0. It is finite, so a row without visible tokens gives no NaN. */
export const MASKED = -1e9;

/** Query, key and value of a layer's tokens, [tokens, heads · headSize] each; query and key are rotated by position. */
export interface Projections {
  readonly layer: number;
  readonly query: Value;
  readonly key: Value;
  readonly value: Value;
}

export interface DecoderRequest {
  /** int64 [tokens]. */
  readonly tokens: Value;
  /** int64 [rows, length]; rows · length = tokens. */
  readonly positions: Value;
  /** Computes the heads' outputs, [tokens, heads · headSize], from a layer's projections. */
  readonly attend: (projections: Projections) => Value;
  /** Indices of the tokens whose final states are needed, int64 [chosen]; default: all. */
  readonly chosen?: Value;
}

export abstract class Decoder {
  readonly shape: Architecture['shape'];
  readonly headSize: number;
  protected readonly graph: Graph;
  protected readonly constants: Architecture['constants'];
  readonly #cosines: Value;
  readonly #sines: Value;
  #embedding: Value | null = null;

  constructor(graph: Graph, { shape, constants }: Architecture) {
    this.shape = shape;
    this.constants = constants;
    this.headSize = headSizeOf(shape, constants);
    this.graph = graph;
    const [cosines, sines] = rotaryTables(shape.contextLength, this.headSize, constants);
    const tableShape = [shape.contextLength, this.headSize / 2];
    this.#cosines = graph.initializer('rotary.cosines', tableShape, cosines);
    this.#sines = graph.initializer('rotary.sines', tableShape, sines);
  }

  /** Returns the last layer's state of each (chosen) token after the final norm: [tokens, hiddenSize]. */
  hidden({ tokens, positions, attend, chosen }: DecoderRequest): Value {
    const { layers } = this.shape;
    let stream = gatherRows(this.#embeddings(), tokens);
    let normed = rmsNorm(stream, this.weight(layerTensors(0).inputNorm), this.constants.rmsEpsilon);
    for (let layer = 0; layer < layers; layer++) {
      const names = layerTensors(layer);
      let attended = attend({ layer, ...this.projections(normed, names, positions) });
      if (chosen !== undefined && layer === layers - 1) {
        // Positions do not interact after the last attention, so only the chosen tokens are computed from here on.
        attended = gatherRows(attended, chosen);
        stream = gatherRows(stream, chosen);
      }
      [stream, normed] = this.addAndNorm(stream, this.product(attended, names, 'output'), names.postNorm);
      const gate = silu(this.product(normed, names, 'gate'));
      const inner = this.product(multiply(gate, this.product(normed, names, 'up')), names, 'down');
      const nextNorm = layer + 1 < layers ? layerTensors(layer + 1).inputNorm : FINAL_NORM_TENSOR;
      [stream, normed] = this.addAndNorm(stream, inner, nextNorm);
    }
    return normed;
  }

  /** Returns logits of the next token for rows of `hidden`: [rows, vocabularySize]. */
  logits(hidden: Value): Value {
    return linear(hidden, this.shape.tiedEmbeddings === false ? this.weight(HEAD_TENSOR) : this.#embeddings());
  }

  /** Returns a weight by its name in a checkpoint. Each is requested once. */
  protected abstract weight(name: string): Value;

  /** Multiplies by a matrix of a layer, and adds its bias if the model has one. */
  protected abstract product(input: Value, names: LayerNames, projection: Projection): Value;

  /** Computes query, key and value of normalised tokens [tokens, hiddenSize]. */
  protected abstract projections(input: Value, names: LayerNames, positions: Value): Omit<Projections, 'layer'>;

  /** Returns the sum of two tensors [tokens, hiddenSize], and its normalisation with the named gain. */
  protected abstract addAndNorm(left: Value, right: Value, gain: string): readonly [sum: Value, norm: Value];

  /** Normalises each head of queries or keys with the named gain, if the model does so. */
  protected headsNormed(value: Value, gain: string): Value {
    if (!this.constants.headNorms) return value;
    const [tokens, width] = value.shape as readonly [Dimension, number];
    const heads = reshape(value, [tokens, width / this.headSize, this.headSize]);
    return reshape(rmsNorm(heads, this.weight(gain), this.constants.rmsEpsilon), [tokens, width]);
  }

  /** Rotates the heads of queries or keys [tokens, heads · headSize] by their positions. */
  protected rotated(value: Value, positions: Value): Value {
    const [rows, length] = positions.shape as readonly [Dimension, Dimension];
    const [tokens, width] = value.shape as readonly [Dimension, Dimension];
    const rowed = rotary(reshape(value, [rows, length, width]), positions, this.#cosines, this.#sines);
    return reshape(rowed, [tokens, width]);
  }

  #embeddings(): Value {
    this.#embedding ??= this.weight(EMBEDDING_TENSOR);
    return this.#embedding;
  }
}
