/**
 * The decoder for training: weights are values with gradients, and rows are packed. Several examples share a row;
 * `attentionBias` separates them, and `positions` restart with each. `graph-loss.ts` computes losses from the last
 * layer.
 */
import type { Architecture } from '../../checkpoint/architecture.ts';
import { biasTensor, type LayerNames, type Projection } from '../../checkpoint/llama-tensors.ts';
import { Decoder, type Projections } from '../decoder/decoder.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { add } from '../onnx/operations/arithmetic.ts';
import { reshape, transpose } from '../onnx/operations/layout.ts';
import { linear, matmul } from '../onnx/operations/linear.ts';
import { rmsNorm, softmax } from '../onnx/operations/transformer.ts';
import type { Dimension, Shape } from '../onnx/shape.ts';

export interface DecoderInputs {
  /** Token ids, int64 [rows, rowLength]; both dimensions may be names, which are then bound in the graph. */
  readonly tokens: Value;
  /** Position of each token in its example, int64 [rows, rowLength]. */
  readonly positions: Value;
  /** 0 where the first position attends to the second, very negative elsewhere; float32 [rows, 1, length, length]. */
  readonly attentionBias: Value;
  /**
   * The tokens whose outputs are needed, such as those that predict a target: indices into rows · rowLength, int64
   * [targets].
   */
  readonly predictors: Value;
}

/** The weights by name. */
export type ParameterValues = ReadonlyMap<string, Value>;

/** Outputs of the decoder at the predictors. */
export interface DecoderOutputs {
  /** Last hidden layer, after the final norm, float32 [targets, hiddenSize]. */
  readonly states: Value;
  /** Adds the logits of the next token, float32 [targets, vocabularySize]. */
  readonly logits: () => Value;
}

/** Adds the decoder to the graph. */
export function trainedDecoder(
  graph: Graph,
  architecture: Architecture,
  parameters: ParameterValues,
  { tokens, positions, attentionBias, predictors }: DecoderInputs,
): DecoderOutputs {
  const decoder = new TrainedDecoder(graph, architecture, parameters);
  const states = decoder.hidden({
    tokens: reshape(tokens, [product(tokens.shape, 'tokens')]),
    positions,
    attend: (projections) => attention(decoder, projections, positions.shape, attentionBias),
    chosen: predictors,
  });
  return { states, logits: () => decoder.logits(states) };
}

class TrainedDecoder extends Decoder {
  readonly #parameters: ParameterValues;

  constructor(graph: Graph, architecture: Architecture, parameters: ParameterValues) {
    super(graph, architecture);
    this.#parameters = parameters;
  }

  protected override weight(name: string): Value {
    return this.#parameters.get(name)!;
  }

  protected override product(input: Value, names: LayerNames, projection: Projection): Value {
    const product = linear(input, this.weight(names[projection]));
    const bias = this.#parameters.get(biasTensor(names[projection]));
    return bias === undefined ? product : add(product, bias);
  }

  protected override projections(input: Value, names: LayerNames, positions: Value): Omit<Projections, 'layer'> {
    const turned = (projection: 'query' | 'key', norm: string) =>
      this.rotated(this.headsNormed(this.product(input, names, projection), norm), positions);
    return {
      query: turned('query', names.queryNorm),
      key: turned('key', names.keyNorm),
      value: this.product(input, names, 'value'),
    };
  }

  protected override addAndNorm(left: Value, right: Value, gain: string): readonly [sum: Value, norm: Value] {
    const sum = add(left, right);
    return [sum, rmsNorm(sum, this.weight(gain), this.constants.rmsEpsilon)];
  }
}

/**
 * Grouped-query attention. The query heads that share a key head are stacked as rows of one matrix, so that one product
 * adds up their gradients for the key head.
 */
function attention(
  { shape: { heads, keyValueHeads }, headSize }: Decoder,
  { query, key, value }: Projections,
  [rows, rowLength]: Shape,
  attentionBias: Value,
): Value {
  const stackedRows = product([heads / keyValueHeads, rowLength!], 'stacked_rows');
  const headsFirst = (flat: Value, count: number) =>
    transpose(reshape(flat, [rows!, rowLength!, count, headSize]), [0, 2, 1, 3]);
  const queries = reshape(headsFirst(query, heads), [rows!, keyValueHeads, stackedRows, headSize]);
  const keys = headsFirst(key, keyValueHeads);
  const values = headsFirst(value, keyValueHeads);
  const scores = matmul(queries, keys, { transposeRight: true, scale: 1 / Math.sqrt(headSize) });
  const biased = add(reshape(scores, [rows!, heads, rowLength!, rowLength!]), attentionBias);
  const shares = reshape(softmax(biased), [rows!, keyValueHeads, stackedRows, rowLength!]);
  const mixed = reshape(matmul(shares, values), [rows!, heads, rowLength!, headSize]);
  return reshape(transpose(mixed, [0, 2, 1, 3]), [query.shape[0]!, heads * headSize]);
}

/** Returns the product of dimensions, or `name` if one of them is known only at run time. */
function product(dimensions: Shape, name: string): Dimension {
  const fixed = dimensions.filter((dimension) => typeof dimension === 'number');
  return fixed.length < dimensions.length ? name : fixed.reduce((total, dimension) => total * dimension, 1);
}
