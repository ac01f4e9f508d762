/**
 * The decoder as a graph over packed rows: Llama's architecture (RMSNorm, rotary positions, grouped-query attention,
 * SwiGLU, tied or own head), whole sequences at once, as training wants it. Several examples share a row; `attentionBias` keeps
 * them apart and `positions` restart with each. `objective.ts` has what is made of its last layer.
 */

import {
  EMBEDDING_TENSOR,
  FINAL_NORM_TENSOR,
  HEAD_TENSOR,
  layerTensors,
  RMS_EPSILON,
  ROPE_THETA,
} from '../../checkpoint/llama-tensors.ts';
import type { ModelShape } from '../../trainer.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { add, multiply, silu } from '../onnx/operations/arithmetic.ts';
import { gatherRows, reshape, transpose } from '../onnx/operations/layout.ts';
import { linear, matmul } from '../onnx/operations/linear.ts';
import { rmsNorm, rotary, softmax } from '../onnx/operations/transformer.ts';
import type { Dimension, Shape } from '../onnx/shape.ts';

export interface DecoderInputs {
  /** Token ids, int64 [rows, rowLength]; both dimensions may be names, which are then bound in the graph. */
  readonly tokens: Value;
  /** Position of each token in its example, int64 [rows, rowLength]. */
  readonly positions: Value;
  /** 0 where the second position may be seen from the first, very negative elsewhere; float32 [rows, 1, length, length]. */
  readonly attentionBias: Value;
  /** Which tokens are computed to the end, such as those that predict a target: indices into rows · rowLength, int64 [targets]. */
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
export function decoder(
  graph: Graph,
  shape: ModelShape,
  parameters: ParameterValues,
  inputs: DecoderInputs,
): DecoderOutputs {
  const weight = (name: string) => parameters.get(name)!;
  const embedding = weight(EMBEDDING_TENSOR);
  const tables = rotaryTables(graph, shape);
  const tokens = product(inputs.tokens.shape, 'tokens');
  let stream = reshape(gatherRows(embedding, inputs.tokens), [tokens, shape.hiddenSize]);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    const names = layerTensors(layer);
    const normal = rmsNorm(stream, weight(names.inputNorm), RMS_EPSILON);
    let mixed = attention(
      shape,
      normal,
      { query: weight(names.query), key: weight(names.key), value: weight(names.value) },
      inputs,
      tables,
    );
    if (layer === shape.layers - 1) {
      // Nothing mixes positions after the last attention: from here only the scored tokens need computing.
      mixed = gatherRows(mixed, inputs.predictors);
      stream = gatherRows(stream, inputs.predictors);
    }
    stream = add(stream, linear(mixed, weight(names.output)));
    const inner = rmsNorm(stream, weight(names.postNorm), RMS_EPSILON);
    const gate = silu(linear(inner, weight(names.gate)));
    const gated = multiply(gate, linear(inner, weight(names.up)));
    stream = add(stream, linear(gated, weight(names.down)));
  }
  const head = shape.tiedEmbeddings === false ? weight(HEAD_TENSOR) : embedding;
  const states = rmsNorm(stream, weight(FINAL_NORM_TENSOR), RMS_EPSILON);
  return { states, logits: () => linear(states, head) };
}

interface RotaryTables {
  readonly cosines: Value;
  readonly sines: Value;
}

/**
 * Grouped-query attention of normalised activations [tokens, hidden], before the output projection. The query heads that
 * share a key head are stacked as rows of one matrix, so their gradients for it add up inside one product.
 */
function attention(
  shape: ModelShape,
  input: Value,
  weights: { readonly query: Value; readonly key: Value; readonly value: Value },
  { positions, attentionBias }: DecoderInputs,
  tables: RotaryTables,
): Value {
  const headSize = shape.hiddenSize / shape.heads;
  const { heads, keyValueHeads } = shape;
  const [rows, rowLength] = [positions.shape[0]!, positions.shape[1]!];
  const stackedRows = product([heads / keyValueHeads, rowLength], 'stacked_rows');
  const project = (weight: Value, count: number) => reshape(linear(input, weight), [rows, rowLength, count * headSize]);
  const rotated = (weight: Value, count: number) =>
    rotary(project(weight, count), positions, tables.cosines, tables.sines);
  const headsFirst = (value: Value, count: number) =>
    transpose(reshape(value, [rows, rowLength, count, headSize]), [0, 2, 1, 3]);
  const queries = reshape(headsFirst(rotated(weights.query, heads), heads), [
    rows,
    keyValueHeads,
    stackedRows,
    headSize,
  ]);
  const keys = headsFirst(rotated(weights.key, keyValueHeads), keyValueHeads);
  const values = headsFirst(project(weights.value, keyValueHeads), keyValueHeads);
  const scores = matmul(queries, keys, { transposeRight: true, scale: 1 / Math.sqrt(headSize) });
  const biased = add(reshape(scores, [rows, heads, rowLength, rowLength]), attentionBias);
  const shares = reshape(softmax(biased), [rows, keyValueHeads, stackedRows, rowLength]);
  const mixed = reshape(matmul(shares, values), [rows, heads, rowLength, headSize]);
  return reshape(transpose(mixed, [0, 2, 1, 3]), [input.shape[0]!, shape.hiddenSize]);
}

/** The product of dimensions, or `name` where one of them is known only when the graph runs. */
function product(dimensions: Shape, name: string): Dimension {
  const fixed = dimensions.filter((dimension) => typeof dimension === 'number');
  return fixed.length < dimensions.length ? name : fixed.reduce((total, dimension) => total * dimension, 1);
}

function rotaryTables(graph: Graph, shape: ModelShape): RotaryTables {
  const half = shape.hiddenSize / shape.heads / 2;
  const angles = Float64Array.from(
    { length: shape.contextLength * half },
    (_, index) => Math.floor(index / half) * ROPE_THETA ** (-(index % half) / half),
  );
  const table = (name: string, of: (angle: number) => number) =>
    graph.initializer(name, [shape.contextLength, half], Float32Array.from(angles, of));
  return { cosines: table('rotary_cosines', Math.cos), sines: table('rotary_sines', Math.sin) };
}
