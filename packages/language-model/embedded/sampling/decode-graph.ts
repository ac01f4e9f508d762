/**
 * The graph of one decoding step: one new token in each of some rows, with the keys and values of the earlier tokens.
 * Outputs the new keys and values, but not the cache, since outputs are copied.
 */
import type { Projections } from '../decoder/decoder.ts';
import { Graph, type Value } from '../onnx/graph.ts';
import { add, multiply } from '../onnx/operations/arithmetic.ts';
import { concatenate, reshape, slice } from '../onnx/operations/layout.ts';
import { matmul } from '../onnx/operations/linear.ts';
import { softmax } from '../onnx/operations/transformer.ts';
import { FusedDecoder, type Weights } from './fused-decoder.ts';

/** Number of rows decoded together, known at run time. */
const ROWS = 'rows';
/** Number of positions of cache and new token together, known at run time; the cache alone has one less. */
const SPAN = 'span';
const PAST = 'past';

export const keyCacheName = (layer: number): string => `keys.${layer}`;
export const valueCacheName = (layer: number): string => `values.${layer}`;

/**
 * Inputs: `tokens` int64 [rows]; `positions` int64 [rows, 1]; `bias` [rows, 1, 1, span], added to the scores: the new
 * token's first, then the cache's (0 for visible, very negative for hidden); `keys.l` [rows, keyValueHeads, span - 1,
 * headSize]; `values.l` [rows, keyValueHeads, span, headSize], with zeros first, at the new token's position. Outputs:
 * `logProbabilities` [rows, vocabularySize]; `fresh` [rows, 2 · layers · keyValueHeads · headSize]: each layer's keys,
 * then its values.
 */
export function decodeGraph(weights: Weights): Uint8Array {
  const graph = new Graph('decode');
  const decoder = new FusedDecoder(graph, weights);
  const { headSize, shape } = decoder;
  const { keyValueHeads } = shape;
  const askedGroup = shape.heads / keyValueHeads;
  // A product with one row uses another kernel, whose sums depend on the cache's length. A second row avoids it.
  const group = Math.max(askedGroup, 2);
  const tokens = graph.input('tokens', 'int64', [ROWS]);
  const positions = graph.input('positions', 'int64', [ROWS, 1]);
  const bias = graph.input('bias', 'float32', [ROWS, 1, 1, SPAN]);
  const scale = 1 / Math.sqrt(headSize);
  const fresh: Value[] = [];

  const attend = ({ layer, query, key, value }: Projections): Value => {
    const keys = graph.input(keyCacheName(layer), 'float32', [ROWS, keyValueHeads, PAST, headSize]);
    const values = graph.input(valueCacheName(layer), 'float32', [ROWS, keyValueHeads, SPAN, headSize]);
    fresh.push(key, value);
    const asked = reshape(query, [ROWS, keyValueHeads, askedGroup, headSize]);
    const heads = askedGroup === group ? asked : concatenate([asked, asked], 2);
    const ownKey = reshape(key, [ROWS, keyValueHeads, 1, headSize]);
    const ownValue = reshape(value, [ROWS, keyValueHeads, 1, headSize]);
    const ownScore = matmul(heads, ownKey, { transposeRight: true, scale });
    const pastScores = matmul(heads, keys, { transposeRight: true, scale });
    const scores = graph.operation(
      { operator: 'Concat', inputs: [ownScore, pastScores], attributes: { axis: { int: 3 } } },
      'float32',
      [ROWS, keyValueHeads, group, SPAN],
    );
    const shares = softmax(add(scores, bias));
    const past = matmul(shares, values);
    const own = multiply(firstAlongSpan(shares), ownValue);
    const attended = add(past, own);
    const result = askedGroup === group ? attended : slice(attended, 2, 0, askedGroup);
    return reshape(result, [ROWS, shape.heads * headSize]);
  };

  const hidden = decoder.hidden({ tokens, positions, attend });
  graph.output('logProbabilities', decoder.logProbabilities(hidden));
  graph.output('fresh', concatenate(fresh, 1));
  return graph.encode();
}

/** The new token's share of each head, [rows, heads, group, 1]. */
function firstAlongSpan(shares: Value): Value {
  const { graph, shape } = shares;
  const inputs = [shares, graph.integers([0]), graph.integers([1]), graph.integers([3])];
  return graph.operation({ operator: 'Slice', inputs }, 'float32', shape.with(3, 1));
}
