/**
 * The graph that reads whole texts. For a prompt it computes the cache entries and the log-probabilities of the next
 * token, for a text to embed the mean of the last layer. Rows are padded at their ends, which a causal decoder does not
 * see.
 */
import type { Projections } from '../decoder/decoder.ts';
import { Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/operations/arithmetic.ts';
import { concatenate, gatherRows, reshape, shapeOf, transpose } from '../onnx/operations/layout.ts';
import { matmul } from '../onnx/operations/linear.ts';
import { softmax } from '../onnx/operations/transformer.ts';
import type { Shape } from '../onnx/shape.ts';
import { FusedDecoder, type Weights } from './fused-decoder.ts';

/** Dimensions known at run time: texts, padded tokens of each, and their product. */
const ROWS = 'rows';
const LENGTH = 'length';
const TOKENS = 'tokens';

/**
 * Inputs: `tokens` int64 [rows, length]; `positions` int64 [rows · length, 1]; `bias` [length, length], added to the
 * scores (0 for visible, very negative for hidden); `last` int64 [rows], the index of each text's last token among all
 * rows · length; `shares` [rows, 1, length], each token's weight in its text's mean. Outputs: `logProbabilities` [rows,
 * vocabularySize] of the next token; `fresh` [rows, 2 · layers · keyValueHeads, 1, length, headSize]: each layer's keys
 * head by head, then its values; `means` [rows, 1, hiddenSize] after the final norm.
 */
export function readingGraph(weights: Weights): Uint8Array {
  const graph = new Graph('reading');
  const decoder = new FusedDecoder(graph, weights);
  const { headSize, shape } = decoder;
  const { keyValueHeads } = shape;
  const tokens = graph.input('tokens', 'int64', [ROWS, LENGTH]);
  const positions = graph.input('positions', 'int64', [TOKENS, 1]);
  const bias = graph.input('bias', 'float32', [LENGTH, LENGTH]);
  const last = graph.input('last', 'int64', [ROWS]);
  const shares = graph.input('shares', 'float32', [ROWS, 1, LENGTH]);
  const batchShape = shapeOf(tokens);
  const fresh: Value[] = [];

  /** [rows · length, …] as [rows, length, …rest]. */
  const byRow = (value: Value, rest: readonly number[]): Value => {
    const target = concatenate([batchShape, graph.integers(rest)], 0);
    const rowed: Shape = [ROWS, LENGTH, ...rest];
    return graph.operation({ operator: 'Reshape', inputs: [value, target] }, value.type, rowed);
  };
  /** [rows · length, heads · headSize] as [rows, keyValueHeads, heads of each, length, headSize]. */
  const byHead = (value: Value, group: number): Value =>
    transpose(byRow(value, [keyValueHeads, group, headSize]), [0, 2, 3, 1, 4]);

  const attend = ({ query, key, value }: Projections): Value => {
    const queries = byHead(query, shape.heads / keyValueHeads);
    const [keys, values] = [byHead(key, 1), byHead(value, 1)];
    fresh.push(keys, values);
    const scores = matmul(queries, keys, { transposeRight: true, scale: 1 / Math.sqrt(headSize) });
    const seen = matmul(softmax(add(scores, bias)), values);
    return reshape(transpose(seen, [0, 3, 1, 2, 4]), [TOKENS, shape.heads * headSize]);
  };

  const hidden = decoder.hidden({ tokens: reshape(tokens, [TOKENS]), positions, attend });
  graph.output('logProbabilities', decoder.logProbabilities(gatherRows(hidden, last)));
  graph.output('fresh', concatenate(fresh, 1));
  graph.output('means', matmul(shares, byRow(hidden, [shape.hiddenSize])));
  return graph.encode();
}
