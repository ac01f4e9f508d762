/**
 * A decoder of Llama's kind as a graph: RMSNorm, rotary positions, grouped-query attention, SwiGLU, a tied head or its own, and
 * what Mistral, Qwen2 and Qwen3 add (biases, norms of queries and keys, heads of another size, stretched positions). One
 * sequence of layers for training and sampling. Subclasses say how weights enter the graph, and callers how tokens attend.
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

/** Added to scores that must not be seen: exp of it is 0, and it is finite, so a row of nothing else is no NaN. */
export const MASKED = -1e9;

/** Query, key and value of the tokens of one layer, [tokens, heads · headSize] each, query and key turned to their positions. */
export interface Projections {
  readonly layer: number;
  readonly query: Value;
  readonly key: Value;
  readonly value: Value;
}

export interface DecoderRequest {
  /** int64 [tokens]. */
  readonly tokens: Value;
  /** int64 [rows, length]; rows · length are the tokens. */
  readonly positions: Value;
  /** From a layer's projections to what its heads give, [tokens, heads · headSize]. */
  readonly attend: (projections: Projections) => Value;
  /** The tokens that are computed to the end, int64 [chosen]; by default all. */
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

  /** The last layer's state of each token (of the chosen ones) after the final norm, as the head sees it: [tokens, hiddenSize]. */
  hidden({ tokens, positions, attend, chosen }: DecoderRequest): Value {
    const { layers } = this.shape;
    let stream = gatherRows(this.#embeddings(), tokens);
    let normed = rmsNorm(stream, this.weight(layerTensors(0).inputNorm), this.constants.rmsEpsilon);
    for (let layer = 0; layer < layers; layer++) {
      const names = layerTensors(layer);
      let attended = attend({ layer, ...this.projections(normed, names, positions) });
      if (chosen !== undefined && layer === layers - 1) {
        // Nothing mixes positions after the last attention: from here only the chosen tokens need computing.
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

  /** Logits of the next token for rows of `hidden`: [rows, vocabularySize]. */
  logits(hidden: Value): Value {
    return linear(hidden, this.shape.tiedEmbeddings === false ? this.weight(HEAD_TENSOR) : this.#embeddings());
  }

  /** A weight by its name in a checkpoint; each is asked for once. */
  protected abstract weight(name: string): Value;

  /** Multiplies by a matrix of a layer, and adds its bias if the model has one. */
  protected abstract product(input: Value, names: LayerNames, projection: Projection): Value;

  /** Query, key and value of normalised tokens [tokens, hiddenSize]. */
  protected abstract projections(input: Value, names: LayerNames, positions: Value): Omit<Projections, 'layer'>;

  /** The sum of two tensors [tokens, hiddenSize], and its normalisation with the gain of this name. */
  protected abstract addAndNorm(left: Value, right: Value, gain: string): readonly [sum: Value, norm: Value];

  /** Normalises each head of queries or keys by itself with the gain of this name, where the model does. */
  protected headsNormed(value: Value, gain: string): Value {
    if (!this.constants.headNorms) return value;
    const [tokens, width] = value.shape as readonly [Dimension, number];
    const heads = reshape(value, [tokens, width / this.headSize, this.headSize]);
    return reshape(rmsNorm(heads, this.weight(gain), this.constants.rmsEpsilon), [tokens, width]);
  }

  /** Turns the heads of queries or keys [tokens, heads · headSize] to their positions. */
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
